/** What a flow asks the person, without knowing the editor: flows are thereby tested with scripted answers. */
export interface Asker {
  /** Answers undefined when the person left it with Escape. */
  input(question: InputQuestion): Promise<string | undefined>;
  pick<T>(question: PickQuestion<T>): Promise<T | undefined>;
  /** A list in which the person may also type what is not in it. */
  pickOrType(question: TypeQuestion): Promise<string | undefined>;
  /** A list that follows what is typed. */
  find<T>(question: FindQuestion<T>): Promise<T | undefined>;
  /** A modal question; false: it was left. */
  confirm(message: string, detail: string, yes: string): Promise<boolean>;
  /** A notification; answers the action that was chosen. */
  tell(
    kind: 'info' | 'warning' | 'error',
    message: string,
    ...actions: readonly string[]
  ): Promise<string | undefined>;
  /** Shows that something takes its time. */
  busy<T>(message: string, work: Promise<T>): Promise<T>;
}

export interface FindQuestion<T> {
  readonly title: string;
  readonly placeholder: string;
  /** What is shown for these words; called at each change. */
  readonly items: (typed: string) => Promise<readonly PickItem<T>[]>;
  /** Said when there is nothing for what was typed. */
  readonly none: string;
}

export interface InputQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  /** An error keeps the person in the input, a warning doesn't. */
  readonly check?: (value: string) => Complaint | null;
}

export interface Complaint {
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

export interface PickQuestion<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly items: readonly PickItem<T>[];
}

export interface PickItem<T> {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  /** A codicon's name. */
  readonly icon?: string;
  readonly picked?: boolean;
  readonly value: T;
}

export interface TypeQuestion {
  readonly title: string;
  readonly placeholder: string;
  readonly items: readonly string[];
  /** How the typed text is offered. */
  readonly typed: (text: string) => string;
}

export const error = (message: string): Complaint => ({ severity: 'error', message });
export const warning = (message: string): Complaint => ({ severity: 'warning', message });
