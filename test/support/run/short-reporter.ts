import { DefaultReporter, type TestCase, type TestModule, type TestSpecification } from 'vitest/node'

/** A run of at most this many files prints each of them. */
const maxPrintedFiles = 5

/** The slowest files of a run, of those that took at least this time, in ms. */
const slowFileMs = 5_000
const maxSlowFiles = 10

/** Prints failures, slow files, skipped tests with their reasons, and the summary. */
export class ShortReporter extends DefaultReporter {
  private isShort = true

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.isShort = specifications.length > maxPrintedFiles
    super.onTestRunStart(specifications)
  }

  protected override printTestModule(testModule: TestModule): void {
    if (!this.isShort || testModule.state() === 'failed') super.printTestModule(testModule)
  }

  override onTestRunEnd(...[modules, ...rest]: Parameters<DefaultReporter['onTestRunEnd']>): void {
    if (this.isShort) this.printSlow(modules)
    // Without a filter: it skips all others.
    if (this.ctx.config.testNamePattern === undefined) this.printSkipped(modules)
    super.onTestRunEnd(modules, ...rest)
  }

  private printSlow(modules: readonly TestModule[]): void {
    const slow = modules
      .map((each) => ({ file: each.relativeModuleId, ms: each.diagnostic().duration }))
      .filter(({ ms }) => ms >= slowFileMs)
      .sort((a, b) => b.ms - a.ms)
    if (slow.length === 0) return
    this.log(`\nThe slowest of ${modules.length} files:`)
    for (const { file, ms } of slow.slice(0, maxSlowFiles))
      this.log(`${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`)
  }

  private printSkipped(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>()
    for (const { relativeModuleId, children } of modules)
      for (const test of children.allTests('skipped')) {
        const line = `${relativeModuleId}: ${reasonOf(test)}`
        counts.set(line, (counts.get(line) ?? 0) + 1)
      }
    for (const [line, count] of counts) this.log(`\n${count} skipped in ${line}`)
  }
}

const reasonOf = (test: TestCase): string => {
  const { note } = test.result() as { readonly note?: string }
  const { skipReason } = test.meta() as { readonly skipReason?: string }
  return skipReason ?? note ?? 'no reason'
}
