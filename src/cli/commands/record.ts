import { Command } from 'commander'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { firstValueFrom, from, map, merge } from 'rxjs'
import type { Address } from '../../domain/address.js'
import { defaultService } from '../../domain/topic.js'
import { renderError } from '../../errors/render.js'
import { record, type LineWriter, type Recorder } from '../../recording/index.js'
import { misuse, type Deployment } from '../input/deployment.js'
import { createFileWriter, type FileWriter } from '../output/file-writer.js'
import { stop$ } from '../stop.js'
import { addStreamFlags, withTokens, type StreamFlags } from './stream-command.js'

/** The flags, as commander names and parses them. */
interface RecordFlags extends StreamFlags {
  readonly out?: string
}

const examples = `
Examples:
  $ svc-streams record --simulate --duration 60 --out market.ndjson
      A minute of a simulator in a file. It needs nothing: no service, no key, no token.
  $ svc-streams record 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 --out market.ndjson
      A token of the service that the environment variables name, until Ctrl-C.
  $ svc-streams record --simulate | gzip > market.ndjson.gz
      Into a pipe. svc-streams replay reads it with: gunzip -c market.ndjson.gz | svc-streams replay -

What comes is written at once, errors as well as values: with --out, whatever ends the process, a line that was written
is there. A file that exists is not written over. Recordings of the same tokens may be joined with cat.`

/** `svc-streams record`: what comes, line by line, until Ctrl-C. */
export const recordCommand = (): Command => {
  const command = addStreamFlags(
    new Command('record')
      .description('Write down prices and depth, for svc-streams replay and for tests of strategies.')
      .option('-o, --out <file>', 'a new file (default: the standard output)'),
  )
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', examples)
    .showHelpAfterError('Try: svc-streams record --help')
  return command.action((given: readonly Address[], flags: RecordFlags) =>
    withTokens(command, given, async (deployment, watched) => {
      const file = openFile(flags.out)
      if (isLeft(file)) return misuse(command, file.left)
      const addresses = watched.map(({ address }) => address)
      await write(startRecording(deployment, addresses, file.right ?? process.stdout, flags), flags)
      file.right?.close()
    }),
  )
}

const openFile = (path: string | undefined): Either<string, FileWriter | undefined> => {
  if (path === undefined) return right(undefined)
  try {
    return right(createFileWriter(path))
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    return left(
      code === 'EEXIST'
        ? `--out: ${path} is there already; give another name, or move it`
        : `--out: ${message}`,
    )
  }
}

const startRecording = (
  { client, depths }: Deployment,
  addresses: readonly Address[],
  to: LineWriter,
  { interval }: RecordFlags,
): Recorder => {
  const topics = addresses.map((address) => `${defaultService}-${address}` as const)
  return depths === undefined
    ? record(client, { to, topics })
    : record(depths, { to, topics, mints: addresses, interval })
}

/** Until it is told to end, or nothing is left to record; then it says on the terminal how much there is. */
const write = async (recorder: Recorder, { out, duration }: RecordFlags): Promise<void> => {
  const stopped$ = stop$(duration === undefined ? undefined : duration * 1000)
  await firstValueFrom(merge(stopped$, from(recorder.finished).pipe(map(() => undefined))))
  const result = await recorder.stop()
  // Who reads the output may leave at any time, as `head` does.
  if (isLeft(result) && result.left.cause.code !== 'EPIPE') {
    throw new Error(`${renderError(result.left)}\nWhat came before that is written.`)
  }
  if (out !== undefined) process.stderr.write(`${recorder.rows} rows in ${out}\n`)
}
