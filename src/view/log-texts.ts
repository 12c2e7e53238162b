import { assertNever } from '../base/domain/assert-never.js'
import type { PriceError, UncorrelatedError } from '../base/errors/model.js'
import { behindText, oneLine } from '../base/errors/text.js'
import type { Connection } from './connection.js'
import { formatSeconds, shortAddresses } from './texts.js'
import type { TokenState } from './token-state.js'

// The words of the event log. Each is a sentence.

/** `bad`: something is no longer current. `good`: it is current again. */
type LogTone = 'good' | 'bad' | 'neutral'

export interface LogText {
  readonly tone: LogTone
  readonly text: string
}

/** `isDirect`: there is no server that reports why the connection is lost. */
export const connectionText = (
  before: Connection,
  { state, reason, behindMs, lostAt, health }: Connection,
  at: number,
  isDirect: boolean,
): LogText | undefined => {
  if (state === before.state) return undefined
  switch (state) {
    case 'connected':
      if (before.state === 'behind') return good('The prices are current again.')
      return before.lostAt === undefined
        ? good('Connected to the service.')
        : good(`Connected again after ${formatSeconds(at - before.lostAt)}.`)
    case 'behind':
      return bad(`The prices are ${behindText(behindMs ?? 0)}, and are held until they are current.`)
    case 'connection lost':
      if (!isDirect) return undefined
      return bad(because(lostAt === undefined ? 'No connection to the service' : 'Connection lost', reason))
    case 'connecting':
      return before.state === 'connection lost'
        ? bad(because('Connection lost, connecting again', reason))
        : undefined
    case 'service lost':
      return health?._tag === 'Down' && health.isOver === true
        ? bad(because('Service lost', reason))
        : bad(because('Service lost, connecting again', reason))
    case 'dashboard stopped':
      return bad('The server of this page does not answer. Start it again: npx svc-streams dashboard')
    default:
      return assertNever(state)
  }
}

const because = (what: string, reason: string): string =>
  reason === '' ? `${what}.` : `${what}: ${sentence(reason)}`

/** Of a message that matches no token. */
export const uncorrelatedText = ({ message }: UncorrelatedError): LogText => ({
  tone: 'neutral',
  text: `A message of the service matches no token: ${sentence(message)}`,
})

/** A lost connection is one entry, not one per token. */
export const priceText = (before: TokenState, after: TokenState): LogText | undefined => {
  const { priceError } = after
  if (priceError === undefined) {
    const wasSilent = before.state === 'stale' || before.state === 'rejected'
    return wasSilent && !isHeld(before.priceError) && after.state === 'live'
      ? good(`current again after ${formatSeconds(after.stateSince - before.stateSince)}.`)
      : undefined
  }
  return priceError.message === before.priceError?.message ? undefined : priceErrorText(priceError)
}

const priceErrorText = (error: PriceError): LogText | undefined => {
  switch (error._tag) {
    case 'Disconnected':
    case 'ClientClosed':
      return undefined
    case 'Stale':
      return isHeld(error) ? undefined : bad(`no price for ${formatSeconds(error.silentForMs)}.`)
    case 'InvalidTopic':
      return bad('rejected, because the address is not valid.')
    case 'SubscriptionRejected':
      return bad(`rejected by the service: ${sentence(error.reason)}`)
    case 'SubscriptionTimeout':
      return bad(
        `no answer of the service within ${formatSeconds(error.afterMs)}. The client requests it again.`,
      )
    case 'DecodeError':
      return bad(`a message of the service is not readable: ${sentence(error.message)}`)
    default:
      return assertNever(error)
  }
}

/** True of all tokens of a connection that is behind, which is one entry of its own. */
const isHeld = (error: PriceError | undefined): boolean =>
  error?._tag === 'Stale' && error.behindMs !== undefined

export const depthText = (before: TokenState, after: TokenState): LogText | undefined => {
  const { loggedDepthError: error } = after
  if (error === before.loggedDepthError) return undefined
  return error === undefined
    ? good('depth is available again.')
    : bad(`depth is not available: ${sentence(error.message)}`)
}

/** Text from outside as a sentence, with abbreviated addresses. */
const sentence = (text: string): string => {
  const line = shortAddresses(oneLine(text))
  return /[.!?…]$/.test(line) ? line : `${line}.`
}

const good = (text: string): LogText => ({ tone: 'good', text })
const bad = (text: string): LogText => ({ tone: 'bad', text })
