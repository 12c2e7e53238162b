import type { Gateway } from '../../gateway/index.js'
import type { Source } from '../input/source.js'
import { variableText } from '../tokens/tokens-variable.js'

export interface SummarizedGateway extends Pick<Gateway, 'baseUrl'> {
  readonly source: Pick<Source, 'description' | 'hasDepth' | 'tokens'>
  /** The names of the keys; `undefined` if depth requests need no signature. */
  readonly keyNames: readonly string[] | undefined
  /** True if the gateway listens on all interfaces. */
  readonly isShared: boolean
}

/** What a running gateway serves, and variables for another terminal. */
export const gatewaySummary = (gateway: SummarizedGateway): string => {
  const { baseUrl, source, isShared } = gateway
  const lines = [
    `# A gateway to ${source.description} is running. Paste these lines into another terminal, and start your program there.`,
    `export SVC_GATEWAY=${baseUrl}`,
    ...tokenLines(source),
    `# To watch through it: svc-streams watch --gateway ${baseUrl}${source.tokens.length === 0 ? ' <token>' : ''}`,
    `# It serves live prices, prices over HTTP${depthText(gateway)}, and its own state at ${baseUrl}/health.`,
    ...(isShared ? ['# On another machine, write the name or the address of this one in the URL.'] : []),
    '# Press Ctrl-C to stop it, and again to stop it immediately.',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** The tokens of the source as a variable. */
export const tokenLines = ({ tokens }: Pick<Source, 'tokens'>): readonly string[] =>
  tokens.length === 0 ? [] : [`export SVC_TOKENS=${tokens.map(variableText).join(',')}`]

const depthText = ({ source, keyNames }: SummarizedGateway): string => {
  if (!source.hasDepth) return ''
  return keyNames === undefined
    ? ', depth without a signature'
    : `, depth to requests that are signed with a key of ${keyNames.join(', ')} (SVC_AUTH_KEY)`
}
