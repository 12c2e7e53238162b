import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { formatMarkdown, renderSection } from '../report/markdown.js'
import { buildLibrary } from '../setup/build-library.js'
import { installPeers } from '../setup/install-peers.js'
import { describeMachine } from '../setup/machine.js'
import { installedVersions } from '../setup/versions.js'
import { clients } from './clients.js'
import type { Observation } from './observation.js'
import { observe } from './observe.js'
import { halfOpen, otherScenarios, slow, type Scenario } from './scenarios.js'

// Runs svc-streams and its peers through the same failures, over real sockets, and writes FAILURES.md:
// `npm run failures`, or `npm run failures -- --only ccxt` for one client on the screen.

const file = new URL('../FAILURES.md', import.meta.url)

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const chosen = clients.filter(({ program }) => values.only === undefined || values.only === program)
if (chosen.length === 0)
  throw new Error(`unknown client: expected ${clients.map(({ program }) => program).join(', ')}`)

await installPeers()
await buildLibrary()
const versions = await installedVersions()
const start = performance.now()

/** The processes of one scenario run at the same time. They are idle for most of it. */
const observeAll = async (scenario: Scenario) => {
  const observations = await Promise.all(
    chosen.map(async ({ program, canShare }) =>
      scenario.subscribers === 2 && !canShare ? undefined : observe(program, scenario),
    ),
  )
  process.stderr.write(`${scenario.title}: done\n`)
  return observations
}

const halfOpenObservations = observeAll(halfOpen)
const slowObservations = await observeAll(slow)
const otherObservations: Awaited<ReturnType<typeof observeAll>>[] = []
for (const scenario of otherScenarios) otherObservations.push(await observeAll(scenario))

const nameOf = (index: number): string => {
  const { name, packageName } = chosen[index]!
  return `${name} ${versions.get(packageName) ?? ''}`
}
const sectionOf = (
  { title, seconds, secondsAfter, columns }: Scenario,
  observations: readonly (Observation | undefined)[],
): string =>
  renderSection(title, {
    method: `Observed for ${seconds + secondsAfter} s.`,
    columns: ['Client', ...Object.keys(columns)],
    rows: observations.map((observation, index) => [
      nameOf(index),
      ...Object.values(columns).map((cell) =>
        observation === undefined ? 'not run: one handler per topic' : cell(observation),
      ),
    ]),
  })

const sections = [
  sectionOf(halfOpen, await halfOpenObservations),
  sectionOf(slow, slowObservations),
  ...otherScenarios.map((scenario, index) => sectionOf(scenario, otherObservations[index] ?? [])),
]

const page = `# Behaviour under failures

Written by \`npm run failures\`. Each client runs in its own process and subscribes to one topic, with a price every 50 ms. The
service is \`startSimulator\`, the network is \`startTcpProxy\`. While the network forwards nothing, it holds what the
service sends, closes no connection, and then forwards everything, like a mobile network or a stopped machine.

- Machine: ${describeMachine()}
- Node ${process.version}
- ${new Date().toISOString().slice(0, 10)}, in ${Math.round((performance.now() - start) / 1000)} s`
const results = await formatMarkdown([page, ...sections].join('\n\n'), file)
if (values.only === undefined) await writeFile(file, results)
else console.log(results)
