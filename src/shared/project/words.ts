/** Numbers and times as they are shown; without a locale's surprises, so that tests and both ends agree. */

/** "12k", "2.0M"; up to 999 as it is. */
export function shortCount(n: number): string {
  if (n < 1000) return String(Math.round(n));
  if (n < 999_500) {
    const k = n / 1000;
    return `${k < 9.95 ? trimZero(k.toFixed(1)) : Math.round(k)}k`;
  }
  const m = n / 1_000_000;
  return `${m < 99.5 ? m.toFixed(1) : Math.round(m)}M`;
}

const trimZero = (text: string): string => text.replace(/\.0$/, '');

/** Millionths of a USD as "$0.42"; small sums keep two digits that count. */
export function money(microUsd: number): string {
  const usd = microUsd / 1_000_000;
  if (usd === 0) return '$0.00';
  if (usd < 0.01) return usd < 0.0001 ? '<$0.0001' : `$${usd.toPrecision(2)}`;
  return `$${usd.toFixed(2)}`;
}

/** "0:41", "12:05", "1:02:03". */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** How long it is until a moment: "0:09"; "0:00" once it has come. */
export const timeLeft = (until: number, now: number): string => elapsed(until - now + 999);

/** "1.2 KB", "3 MB". */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${trimZero((bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0))} KB`;
  return `${trimZero((bytes / 1_000_000).toFixed(1))} MB`;
}

/** "10:04" in the time zone of where it runs; with the day in front if that is not today. */
export function clockTime(at: number, now: number): string {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const today = new Date(now);
  const sameDay =
    date.getDate() === today.getDate() &&
    date.getMonth() === today.getMonth() &&
    date.getFullYear() === today.getFullYear();
  return sameDay ? time : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}
