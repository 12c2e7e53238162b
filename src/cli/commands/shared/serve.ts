import { firstValueFrom, from, merge, mergeMap, NEVER, type Observable } from 'rxjs'
import { printable } from '../../../base/errors/text.js'
import { GatewayError } from '../../../gateway/index.js'
import { listen } from '../../../opentelemetry/messages.js'
import type { OpenSource } from '../../target/open-source.js'
import { flagName } from '../../target/source-flags.js'
import type { Io, StopSignal, Variable } from '../../io.js'
import { orFail } from '../../render/error-text.js'
import { interrupted, signals } from '../../stop.js'
import { variableText } from '../../target/select-tokens.js'
import { log, logConnection } from './log.js'

// Shared by the commands that serve a source until they are stopped: gateway and dashboard.

/** Resolves to the signal that stops it. Fails if the recording is damaged. `reload`: called for SIGHUP, which otherwise stops it. */
export const serveUntilStopped = async (
  io: Io,
  source: OpenSource,
  summary: string,
  reload?: () => void,
): Promise<StopSignal> => {
  const stopped$ = from(interrupted(io, reload && signals.filter((signal) => signal !== 'SIGHUP')))
  if (reload !== undefined) io.on('SIGHUP', reload)
  io.stdout.write(summary)
  const stops = [logConnection(io, source.client, effects), logChannels(io)]
  const failure$ = recordingFailure$(source, () => log(io, 'The recording has ended. Press Ctrl-C to stop.'))
  return firstValueFrom(merge(stopped$, failure$)).finally(() => {
    if (reload !== undefined) io.off('SIGHUP', reload)
    for (const stop of stops) stop()
  })
}

/** Logs the messages of a gateway until the function is called: one line when something fails, and one when it works again. */
const logChannels = (io: Io): (() => void) => {
  const damage = new Set<string>()
  const warn = (message: string): void => log(io, message, 'warn')
  return listen({
    'svc-streams:gateway-history': ({ error }) =>
      error === undefined
        ? log(io, 'The history is written again.')
        : warn(
            `The history cannot be written: ${printable(error.cause.message)}. Consumers still receive prices.`,
          ),
    'svc-streams:gateway-nats': ({ problem }) =>
      problem === undefined
        ? log(io, 'NATS accepts the messages of the gateway again.')
        : warn(`NATS refuses messages of the gateway: ${printable(problem)}. Check its permissions.`),
    'svc-streams:history-unreadable': ({ error: { message } }) => {
      if (damage.has(message)) return
      damage.add(message)
      warn(`A part of the history cannot be read: ${printable(message)}.`)
    },
  })
}

const effects = {
  down: 'The gateway refuses consumers until it returns.',
  behind: 'The gateway holds them until they are current.',
  depth: 'Consumers receive an error.',
}

/** Fails if the recording is damaged. Otherwise never ends: a server continues after the last row, at which `onEnd` is called. */
export const recordingFailure$ = (
  { finished }: Pick<OpenSource, 'finished'>,
  onEnd: () => void = () => undefined,
): Observable<never> =>
  from(finished ?? NEVER).pipe(
    mergeMap((result) => {
      orFail(result)
      onEnd()
      return NEVER
    }),
  )

/** Throws the failure of a gateway; one that cannot listen or cannot record, with its flag. */
export const failToListen = (thrown: unknown): never => {
  if (!(thrown instanceof GatewayError)) throw thrown
  throw new Error(`${flagName(thrown.option.replace(/\..*/, ''))}: ${thrown.problem}`)
}

/** The variable of the tokens that a source has by itself, if there are any. */
export const tokenVariables = ({ ownTokens }: Pick<OpenSource, 'ownTokens'>): readonly Variable[] =>
  ownTokens.length === 0 ? [] : [['SVC_TOKENS', ownTokens.map(variableText).join(',')]]
