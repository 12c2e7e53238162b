import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Slow files that are small. In a fresh clone Vitest knows no durations and begins with the largest files: it would end with
 * one of these, and wait for it.
 */
const longest: readonly string[] = [
  'package/next',
  'package/server-bundles',
  'nats/failures.long',
  'backtest/replay/memory.long',
  'promises/age-over-gateways',
  'nats/slow-machine',
  'opentelemetry/operations',
  'promises/memory.long',
  'promises/gateway-slow-consumers',
  'docs/site.long',
]

/** Files with a process of their own come first, because Vitest runs one project after the other. */
const rankOf = ({ project, moduleId }: TestSpecification): number => {
  const first = project.config.isolate ? 0 : longest.length + 1
  const rank = longest.findIndex((file) => moduleId.endsWith(`/test/${file}.test.ts`))
  return first + (rank === -1 ? longest.length : rank)
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}
