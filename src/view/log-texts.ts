import { assertNever } from '../base/domain/assert-never.js'
import type { PriceError } from '../base/errors/model.js'
import { behindText, oneLine } from '../base/errors/text.js'
import type { Connection } from './connection.js'
import type { LogText, LogTexts } from './display.js'
import { formatSeconds, shortAddresses } from './texts.js'
import type { TokenState } from './token-state.js'

/** The words of the page's log. Each is a sentence. */
export const logTexts: LogTexts = {
  connection: (before, after, at) =>
    after.state === before.state ? undefined : connectionText(before, after, at),
  price: (before, after) => priceText(before, after),
  depth: (before, after) => depthText(before, after),
  // A message that matches no token.
  uncorrelated: ({ message }) => ({
    tone: 'neutral',
    text: `A message of the service matches no token: ${sentence(message)}`,
  }),
}

const connectionText = (before: Connection, after: Connection, at: number): LogText | undefined => {
  const { state, reason } = after
  switch (state) {
    case 'connected':
      if (before.state === 'behind') return good('The prices are current again.')
      return before.lostAt === undefined
        ? good('Connected to the service.')
        : good(`Connected again after ${formatSeconds(at - before.lostAt)}.`)
    case 'behind':
      return bad(`The prices are ${behindText(after.behindMs ?? 0)}, and are held until they are current.`)
    case 'connection lost':
      // The server answers why. Its answer changes the state, and is logged.
      return undefined
    case 'connecting':
      return before.state === 'connection lost'
        ? bad(`Connection lost: ${sentence(reason)} Connecting again.`)
        : undefined
    case 'service lost':
      return bad(`Service lost${reason === '' ? '.' : `: ${sentence(reason)}`} Connecting again.`)
    case 'dashboard stopped':
      return bad('The server of this page does not answer. Start it again: npx svc-streams dashboard')
    default:
      return assertNever(state)
  }
}

/** A lost connection is one entry, not one per token. */
const priceText = (before: TokenState, after: TokenState): LogText | undefined => {
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

const depthText = (before: TokenState, after: TokenState): LogText | undefined => {
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
