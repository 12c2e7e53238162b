import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { Argument, Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { endWith, firstValueFrom, map, merge, type Observable } from 'rxjs'
import type { Client } from '../../client/client.js'
import type { Address } from '../../domain/address.js'
import { addressOf } from '../../domain/topic.js'
import { renderError } from '../../errors/render.js'
import type { RecordingHeader, Row } from '../../recording/format/row.js'
import { replay, type ReplayClient } from '../../recording/index.js'
import { depthRow$, priceRow$, statusRow$, uncorrelatedRow$ } from '../../recording/record/client-rows.js'
import { recordedMarket } from '../../simulator/index.js'
import { replaySpeed } from '../input/arguments.js'
import { createTokenNames } from '../input/token-names.js'
import { drained } from '../output/drained.js'
import { printable } from '../output/printable.js'
import { stop$ } from '../stop.js'
import { printRows$, showRows$ } from './watch-view.js'

/** The flags, as commander names and parses them. */
interface ReplayFlags {
  readonly speed: number
  readonly json?: boolean
}

const examples = `
Examples:
  $ svc-streams replay market.ndjson
      A recording as it was, live.
  $ svc-streams replay market.ndjson --speed 10
      Ten times as fast.
  $ svc-streams replay market.ndjson --speed max | grep Disconnected
      All of it at once, a line each.
  $ svc-streams replay market.ndjson --speed max --json | jq -r 'select(._tag == "Price").event.right.price // empty'
      For programs: a JSON object a line, as it was recorded.
  $ gunzip -c market.ndjson.gz | svc-streams replay -
      From a pipe.

It ends with the recording, with exit code 0. Where that is cut or damaged it shows all before, says in which line what
is wrong, and ends with exit code 1.`

/** `svc-streams replay`: a recording, shown as `watch` shows a service. */
export const replayCommand = (): Command =>
  new Command('replay')
    .description('Show a recording made by svc-streams record.')
    .addArgument(new Argument('<file>', 'the recording; - is the standard input'))
    .option('--speed <factor>', 'times faster than it was, or max: all at once', replaySpeed, 1)
    .option('--json', 'print each event as a JSON object on a line of its own')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', examples)
    .showHelpAfterError('Try: svc-streams replay --help')
    .action(async (file: string, { speed, json = false }: ReplayFlags) => {
      const source = file === '-' ? process.stdin : createReadStream(file)
      // Who reads it is told of its errors.
      const pieces = pipeline(source, drained(process.stdout), () => undefined)
      await using client = replay(pieces, { speed })
      const header = await client.header()
      if (isLeft(header)) throw new Error(printable(renderError(header.left)))
      const shown$ = show$(client, header.right, speed, json)
      const ended = await firstValueFrom(
        merge(shown$.pipe(endWith(true)), stop$(undefined).pipe(map(() => false))),
      )
      const result = ended ? await client.finished : undefined
      if (result !== undefined && isLeft(result)) throw new Error(printable(renderError(result.left)))
    })

const show$ = (
  client: ReplayClient,
  header: RecordingHeader,
  speed: number,
  json: boolean,
): Observable<never> => {
  const names = createTokenNames(recordedMarket().tokens)
  const hasDepth = header.mints.length > 0
  const scene = { tokens: tokensOf(header), names, hasDepth, note: undefined, output: process.stdout }
  const rows$ = client.run$((inside) => allRows$(inside, header))
  // All at once there is nothing to look at in place.
  return speed === Infinity ? printRows$(rows$, scene, json) : showRows$(rows$, scene, json)
}

const tokensOf = ({ topics, mints }: RecordingHeader): readonly Address[] => {
  const addresses = [...topics.map(addressOf), ...mints]
  return [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()]
}

const allRows$ = (client: Client, { topics, mints, interval }: RecordingHeader): Observable<Row> =>
  merge(
    statusRow$(client),
    uncorrelatedRow$(client),
    ...topics.map((topic) => priceRow$(client, topic)),
    ...mints.map((mint) => depthRow$(client, mint, interval)),
  )
