import { renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import { deploymentFlags, withVariable, type ServerFlagName } from '../input/deployment-flags.js'
import { keyHint } from '../input/hint.js'
import type { StopReason } from '../stop.js'
import { isKeyRejected, type Received } from './received.js'

/** The command that received the events. */
export interface StreamRun {
  readonly command: 'watch' | 'record'
  /** Host and port of the price reporter's WebSocket. */
  readonly priceHost: string
  /** The flag that selects another server than the service itself. */
  readonly serverFlag: ServerFlagName | undefined
  /** In ms. */
  readonly duration: number | undefined
  /** Why it ended. `completed`: the price streams of all tokens have completed. */
  readonly end: StopReason | 'completed'
}

/**
 * The error message of a streaming command that has not received what it requested; `undefined` if it succeeded. A
 * reader that closes the pipe needs no more data, so the command then succeeds.
 */
export const failureText = (received: Received, run: StreamRun): string | undefined => {
  const { command, end } = run
  if (end === 'output closed') return undefined
  const failures = [
    ...(end === 'completed' ? [noTokenText(command)] : []),
    ...(end === 'duration' && !received.hasPrice ? [noPriceText(received, run)] : []),
    ...(isKeyRejected(received) ? [rejectedKeyText(run)] : []),
  ]
  return failures.length === 0 ? undefined : failures.join('\n')
}

const noTokenText = (command: string): string => `\
no token left to ${command}: the service rejected every token
Check the tokens and --environment: a token has another address in each environment.`

const rejectedKeyText = ({ serverFlag }: StreamRun): string =>
  serverFlag === 'gateway'
    ? `the gateway rejected every depth request\n${keyHint('gateway')}`
    : `the service rejected the signature of every depth request\n${keyHint('baseUrl')}`

const noPriceText = (received: Received, { priceHost, serverFlag, duration }: StreamRun): string => `\
no price arrived from ${priceHost} in ${(duration ?? 0) / 1000} s
${reasonText(received)}
Check ${addressFlags(serverFlag)}, or run svc-streams doctor.`

const addressFlags = (serverFlag: ServerFlagName | undefined): string => {
  const { priceBaseUrl, priceWsUrl } = deploymentFlags
  return serverFlag !== undefined
    ? withVariable(deploymentFlags[serverFlag])
    : `${withVariable(priceBaseUrl)} and ${withVariable(priceWsUrl)}`
}

const reasonText = ({ lastPriceError, status }: Received): string => {
  if (lastPriceError !== undefined) return `Last error: ${printable(renderError(lastPriceError))}`
  return status._tag === 'Open'
    ? 'The connection is open, but the service sent no price of these tokens.'
    : 'The connection did not open.'
}
