/** Sums by host, of what has ended. */
export class Totals {
  private readonly byHost = new Map<string, number>()

  add(host: string, value: number): void {
    this.byHost.set(host, (this.byHost.get(host) ?? 0) + value)
  }

  entries(): Iterable<readonly [host: string, total: number]> {
    return this.byHost
  }
}
