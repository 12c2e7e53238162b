import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { chaos, type Report } from '../test/chaos/chaos.js'

// How the client fares in a bad network before a bad service: `npm run chaos`, or with `-- --lives 100 --from 1`.

const { values } = parseArgs({
  options: { lives: { type: 'string', default: '24' }, from: { type: 'string', default: '1' } },
})
const first = Number(values.from)
const seeds = Array.from({ length: Number(values.lives) }, (_, index) => first + index)
if (!Number.isInteger(first) || seeds.length === 0)
  throw new Error('expected whole numbers: --lives 24 --from 1')

const atOnce = 6
const began = performance.now()
const reports: Report[] = []
for (let start = 0; start < seeds.length; start += atOnce) {
  const batch = seeds.slice(start, start + atOnce).map((seed) => chaos({ seed, faults: 120 }))
  reports.push(...(await Promise.all(batch)))
  console.error(`${reports.length} of ${seeds.length} lives`)
}

const sum = (of: (report: Report) => number): number =>
  reports.reduce((total, report) => total + of(report), 0)
const made = (report: Report): number =>
  [...report.faults.values()].reduce((total, count) => total + count, 0)
const wrong = reports.flatMap(({ findings, aftermath }, index) =>
  [...findings.violations, ...aftermath].map((what) => `seed ${seeds[index]}: ${what}`),
)

console.log(`
${seeds.length} lives of a client, seeds ${first} to ${seeds.at(-1)}, in ${Math.round((performance.now() - began) / 1000)} s
Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${new Date().toISOString().slice(0, 10)}

faults and other moves            ${sum(made)}
connections opened                ${sum(({ figures }) => figures.connections)}
prices that arrived               ${sum(({ figures }) => figures.prices)}
  took the short way              ${sum(({ figures }) => figures.shortWay)}
  told to listeners               ${sum(({ figures }) => figures.told)}
  lost while connected            ${sum(({ findings }) => findings.lost)}
  stale, told as fresh            ${sum(({ findings }) => findings.staleAsFresh)}
told of a disconnect              ${sum(({ figures }) => figures.disconnects)}
told of silence                   ${sum(({ figures }) => figures.stales + figures.timeouts)}
topics not there once all was well ${sum(({ aftermath }) => aftermath.length)}
longest recovery after the wait   ${Math.round(Math.max(...reports.map(({ figures }) => figures.longestRecovery)))} ms
`)
for (const line of wrong) console.log(line)
process.exitCode = wrong.length > 0 ? 1 : 0
