import type { Command } from 'commander'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { firstValueFrom, from, map, merge } from 'rxjs'
import type { Address } from '../../domain/address.js'
import { defaultService } from '../../domain/topic.js'
import { renderError } from '../../errors/render.js'
import { record, type LineWriter, type Recorder } from '../../recording/index.js'
import { usageError, type Deployment } from '../input/deployment.js'
import { createFileWriter, type FileWriter } from '../output/file-writer.js'
import { stop$ } from '../stop.js'
import { createCommand } from './create-command.js'
import { addStreamFlags, withTokens, type StreamFlags } from './stream-command.js'

/** The flags, as commander names and parses them. */
interface RecordFlags extends StreamFlags {
  readonly out?: string
}

const examples = `
Examples:
  $ svc-streams record --simulate --duration 60 --out market.ndjson
      Record a simulator for one minute. Needs no service, no key and no token.
  $ svc-streams record 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 --out market.ndjson
      Record a token of the service that the environment variables configure, until Ctrl-C.
  $ svc-streams record --simulate | gzip > market.ndjson.gz
      Compress the recording. Replay it with: gunzip -c market.ndjson.gz | svc-streams replay -

Every event is written immediately, errors as well as values. With --out, no written line is lost when the process is
killed. An existing file is never overwritten. Recordings of the same tokens can be concatenated with cat.`

/** `svc-streams record`: records prices and depth until Ctrl-C. */
export const recordCommand = (): Command => {
  const command = addStreamFlags(
    createCommand(
      'record',
      'Record prices and depth, for svc-streams replay and for tests of strategies.',
      examples,
    ).option('-o, --out <file>', 'new file to write (default: standard output)'),
  )
  return command.action((given: readonly Address[], flags: RecordFlags) =>
    withTokens(command, given, async (deployment, watched) => {
      const file = openFile(flags.out)
      if (isLeft(file)) return usageError(command, file.left)
      const addresses = watched.map(({ address }) => address)
      await finish(startRecording(deployment, addresses, file.right ?? process.stdout, flags), flags)
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
        ? `--out: ${path} already exists; choose another name, or move it`
        : `--out: ${message}`,
    )
  }
}

const startRecording = (
  { client, depthClient }: Deployment,
  addresses: readonly Address[],
  to: LineWriter,
  { interval }: RecordFlags,
): Recorder => {
  const topics = addresses.map((address) => `${defaultService}-${address}` as const)
  return depthClient === undefined
    ? record(client, { to, topics })
    : record(depthClient, { to, topics, mints: addresses, interval })
}

/** Waits until the command is stopped or all streams have completed, then prints the number of rows. */
const finish = async (recorder: Recorder, { out, duration }: RecordFlags): Promise<void> => {
  const stopped$ = stop$(duration === undefined ? undefined : duration * 1000)
  await firstValueFrom(merge(stopped$, from(recorder.finished).pipe(map(() => undefined))))
  const result = await recorder.stop()
  // A closed pipe, such as that of `head`, is not a failure.
  if (isLeft(result) && result.left.cause.code !== 'EPIPE') {
    throw new Error(`${renderError(result.left)}\nAll earlier rows were written.`)
  }
  if (out !== undefined) process.stderr.write(`${recorder.rows} rows in ${out}\n`)
}
