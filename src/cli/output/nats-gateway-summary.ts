import type { Source } from '../input/source.js'
import { tokenLines } from './gateway-summary.js'

export interface SummarizedNatsGateway {
  /** Host and port of a NATS server. */
  readonly host: string
  readonly source: Pick<Source, 'description' | 'hasDepth' | 'tokens'>
  /** False if no NATS server is reachable yet. */
  readonly isConnected: boolean
  /** The address of the server that answers with the gateway's health; `undefined` if there is none. */
  readonly healthUrl: string | undefined
}

/** What a running gateway serves on NATS, and variables for another terminal. */
export const natsGatewaySummary = ({
  host,
  source,
  isConnected,
  healthUrl,
}: SummarizedNatsGateway): string => {
  const lines = [
    `# A gateway to ${source.description} is running on NATS. Paste these lines into another terminal, and start your program there.`,
    `export SVC_NATS=nats://${host}`,
    ...tokenLines(source),
    `# To watch through it: svc-streams watch --nats nats://${host}${source.tokens.length === 0 ? ' <token>' : ''}`,
    `# It serves live prices${source.hasDepth ? ', prices and depth on request' : ' and prices on request'}. Start a second one for failover.`,
    ...(healthUrl === undefined ? [] : [`# Its own state is at ${healthUrl}/health.`]),
    ...(isConnected ? [] : ['# NATS is not reachable yet. The gateway keeps trying.']),
    '# Press Ctrl-C to stop it, and again to stop it immediately.',
  ]
  return lines.map((line) => `${line}\n`).join('')
}
