import type { Secrets } from '../../src/vscode/models/keys';

export class MemorySecrets implements Secrets {
  readonly kept = new Map<string, string>();

  async get(key: string): Promise<string | undefined> {
    return this.kept.get(key);
  }

  async store(key: string, value: string): Promise<void> {
    this.kept.set(key, value);
  }

  async delete(key: string): Promise<void> {
    this.kept.delete(key);
  }
}
