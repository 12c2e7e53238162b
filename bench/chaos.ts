import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { runChaos, type ChaosReport } from '../test/chaos/chaos.js'

// Runs clients with a faulty network and a faulty service, one per seed. Prints what was delivered and lost:
// `npm run chaos`, or `npm run chaos -- --runs 100 --first-seed 1`.

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '24' }, 'first-seed': { type: 'string', default: '1' } },
})
const firstSeed = Number(values['first-seed'])
const seeds = Array.from({ length: Number(values.runs) }, (_, index) => firstSeed + index)
if (!Number.isInteger(firstSeed) || seeds.length === 0)
  throw new Error('expected integers: --runs 24 --first-seed 1')

const runAll = async <A>(concurrency: number, run: (seed: number) => Promise<A>): Promise<readonly A[]> => {
  const results: A[] = []
  for (let first = 0; first < seeds.length; first += concurrency) {
    results.push(...(await Promise.all(seeds.slice(first, first + concurrency).map(run))))
    console.error(`${results.length} of ${seeds.length} runs`)
  }
  return results
}

const start = performance.now()
const reports = await runAll(6, (seed) => runChaos({ seed, actionCount: 120 }))

const sum = (of: (report: ChaosReport) => number): number =>
  reports.reduce((total, report) => total + of(report), 0)
const actionsOf = ({ actionCounts }: ChaosReport): number =>
  [...actionCounts.values()].reduce((total, count) => total + count, 0)
const problems = seeds.flatMap((seed, index) => {
  const { findings, unrecovered } = reports[index]!
  return [...findings.violations, ...unrecovered].map((problem) => `seed ${seed}: ${problem}`)
})
const longestRecovery = Math.max(...reports.map(({ figures }) => figures.longestRecovery))

console.log(`
${seeds.length} runs, seeds ${firstSeed} to ${seeds.at(-1)}, in ${Math.round((performance.now() - start) / 1000)} s
Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${new Date().toISOString().slice(0, 10)}

faults and subscription changes       ${sum(actionsOf)}
connections opened                    ${sum(({ figures }) => figures.connections)}
prices received                       ${sum(({ figures }) => figures.prices)}
  frames decoded by the fast path     ${sum(({ figures }) => figures.fastPath)}
  delivered to subscribers            ${sum(({ figures }) => figures.delivered)}
  lost while connected                ${sum(({ findings }) => findings.lost)}
  old prices delivered as current     ${sum(({ findings }) => findings.staleAsFresh)}
  older than maxLag                   ${sum(({ findings }) => findings.tooOld)}
  replaced for at most                ${Math.round(Math.max(...reports.map(({ figures }) => figures.oldest)))} ms
Stale events of slow links            ${sum(({ figures }) => figures.behind)}
Disconnected events                   ${sum(({ figures }) => figures.disconnects)}
Stale and SubscriptionTimeout events  ${sum(({ figures }) => figures.stales + figures.timeouts)}
not recovered after the last fault    ${sum(({ unrecovered }) => unrecovered.length)}
longest recovery after the backoff    ${Math.round(longestRecovery)} ms
`)
for (const problem of problems) console.log(problem)
process.exitCode = problems.length > 0 ? 1 : 0
