/** Where diagnostics go. Never a substitute for telling the person or the model what happened. */
export interface Log {
  debug(message: string, details?: Record<string, unknown>): void;
  info(message: string, details?: Record<string, unknown>): void;
  warn(message: string, details?: Record<string, unknown>): void;
  error(message: string, error?: unknown): void;
}
