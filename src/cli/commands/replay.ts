import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { Argument, type Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { endWith, firstValueFrom, map, merge, type Observable } from 'rxjs'
import type { Client } from '../../client/client.js'
import type { Address } from '../../domain/address.js'
import { addressOf } from '../../domain/topic.js'
import { renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import type { RecordingHeader, Row } from '../../recording/format/row.js'
import { replay, type ReplayClient } from '../../recording/index.js'
import { depthRow$, priceRow$, statusRow$, uncorrelatedRow$ } from '../../recording/record/client-rows.js'
import { recordedMarket } from '../../simulator/index.js'
import { numberOption } from '../../option-kinds/number-option.js'
import { helpText, parseSpeed } from '../input/number-flag.js'
import { createTokenNames } from '../input/token-names.js'
import { pacedBy } from '../output/stdout.js'
import { stop$ } from '../stop.js'
import { createCommand } from './create-command.js'
import { printRows$, showRows$ } from './show-rows.js'

/** The flags, as commander names and parses them. */
interface ReplayFlags {
  readonly speed: number
  readonly json?: boolean
}

const examples = `
Examples:
  $ svc-streams replay market.ndjson
      Replay a recording in real time.
  $ svc-streams replay market.ndjson --speed 10
      Replay it ten times as fast.
  $ svc-streams replay market.ndjson --speed max | grep Disconnected
      Print all events immediately, one per line.
  $ svc-streams replay market.ndjson --speed max --json | jq -r 'select(._tag == "Price").event.right.price // empty'
      Print the recorded JSON objects, one per line, for programs.
  $ gunzip -c market.ndjson.gz | svc-streams replay -
      Read from a pipe.

The command stops at the end of the recording, with exit code 0. If the recording is truncated or damaged, it shows
all events before the damage, reports the line and the error, and fails with exit code 1.`

const replaySpeed = numberOption({
  meaning: 'Playback speed as a factor, or max to show all events immediately',
  above: 0,
  default: 1,
})

/** `svc-streams replay`: shows a recording as `watch` shows a service. */
export const replayCommand = (): Command =>
  createCommand('replay', 'Show a recording made by svc-streams record.', examples)
    .addArgument(new Argument('<file>', 'recording; - reads standard input'))
    .option('--speed <factor>', helpText(replaySpeed), parseSpeed(replaySpeed), replaySpeed.default)
    .option('--json', 'print each event as a JSON object, one per line')
    .action(async (file: string, { speed, json = false }: ReplayFlags) => {
      const source = file === '-' ? process.stdin : createReadStream(file)
      // The client reports the errors of the source.
      const chunks = pipeline(source, pacedBy(process.stdout), () => undefined)
      await using client = replay(chunks, { speed })
      const header = await client.header()
      if (isLeft(header)) throw new Error(printable(renderError(header.left)))
      const shown$ = show$(client, header.right, speed, json)
      const completed = await firstValueFrom(
        merge(shown$.pipe(endWith(true)), stop$(undefined).pipe(map(() => false))),
      )
      const result = completed ? await client.finished : undefined
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
  const options = { tokens: tokensOf(header), names, hasDepth, note: undefined, output: process.stdout }
  const rows$ = client.run$((inner) => allRows$(inner, header))
  // At unlimited speed, a redrawn board would show only the last event.
  return speed === Infinity ? printRows$(rows$, options, json) : showRows$(rows$, options, json)
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
