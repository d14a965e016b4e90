import type { Style } from '../shared/state';
import type { Text } from '../shared/text';

/** What an agent is made from; the decisions ask for it when it is added (L-37, L-39). */
export interface AgentRequest {
  readonly style: Style;
  readonly name: string;
  readonly kind: 'lead' | 'member' | 'helper';
  readonly role: string;
  readonly managerName: string | null;
  readonly goal: string | null;
  readonly expert: string;
  readonly mayLead: boolean;
  /** Whether a team is offered: the lead's tools and its block in the prompt come and go together (L-17). */
  readonly offered: boolean;
  /** Whether it may hand pieces of its work to helpers: the tool `task`. */
  readonly helpers: boolean;
}

export interface MadeAgent {
  readonly system: Text;
  readonly tools: readonly string[];
}

/** An expert definition: what it knows of its craft, byte-equal whoever uses it, and what it may use (C-94). */
export interface Expert {
  readonly name: string;
  readonly text: string;
  readonly tools: readonly string[];
  /** Whether it may have helpers; one that only reads may not: its helper could write. */
  readonly mayDelegate: boolean;
}

/** What a style adds to the shared prompt, and which of its tools go to whom. */
export interface StyleBlocks {
  /** Opens a member's prompt; placeholders: name, role, manager, goal. */
  readonly member: string;
  /** How to lead: constant, the same for the lead and for a member that leads (L-94). */
  readonly lead: string;
  readonly tools: {
    readonly lead: readonly string[];
    readonly member: readonly string[];
    /** Beside the member's, for one that may lead. */
    readonly leading: readonly string[];
  };
}
