import { cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { subscribeAndMeasureCpu } from '../../../bench/measure/bursts.js'
import { withPriceService } from '../../../bench/measure/price-service.js'
import { inRounds, valuesOf } from '../../../bench/measure/rounds.js'
import { ratios, spreadOf } from '../../../bench/measure/statistics.js'
import type { Check } from '../check.js'

const bench = fileURLToPath(new URL('../../../bench/', import.meta.url))

const topics = 1000
const frames = 200_000
const warmUpBursts = 4
const rounds = 3

const handWritten = 'hand-written/price-handlers'
const library = 'svc-streams/default'
const candidates = [handWritten, library]

/**
 * CPU per live price of the library, compared with that of a hand-written client over the `ws` of the same runtime. A
 * check passes from 1 on: the benchmark measures the ratio exactly, this check only finds a runtime on which it is bad.
 */
export const measureRatio: Check = async ({ runtime, executable, user }) => {
  const folder = await copyCandidates(user)
  const process = { executable, runArguments: runtime.runArguments, folder }
  const ratio = await withPriceService(async (service) => {
    const measured = await inRounds(rounds, candidates, (program) =>
      service.withClient({ program, topics, process }, (client) =>
        subscribeAndMeasureCpu(client, topics, warmUpBursts, { frames }),
      ),
    )
    const micros = (program: string) => valuesOf(measured, program, (value) => value)
    return spreadOf(ratios(micros(handWritten), micros(library))).median
  })
  const text = `${ratio.toFixed(1)} ×`
  return { text, failures: ratio < 1 ? [`the library is slower than a hand-written client: ${text}`] : [] }
}

/** Copies the candidates to the packed package, which they then import. */
const copyCandidates = async (user: string): Promise<URL> => {
  const folder = join(user, 'bench')
  for (const part of ['candidates', 'process']) {
    await cp(join(bench, part), join(folder, part), { recursive: true })
  }
  await mkdir(join(folder, 'node_modules'), { recursive: true })
  await symlink(join(user, 'node_modules/svc-streams/dist'), join(folder, 'node_modules/.build'))
  return pathToFileURL(`${folder}/`)
}
