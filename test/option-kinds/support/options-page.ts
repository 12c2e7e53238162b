import { clientTable, reconnectTable } from '../../../src/client/option-table.js'
import { gatewayTable, tlsTable } from '../../../src/gateway/option-table.js'
import { instrumentTable } from '../../../src/opentelemetry/option-table.js'
import type { NumberOption } from '../../../src/option-kinds/number-option.js'
import type { Option } from '../../../src/option-kinds/option.js'
import { proxyTable } from '../../../src/simulator/network/tcp-proxy.js'
import { simulatorTable } from '../../../src/simulator/option-table.js'

type Table = Readonly<Record<string, Option<unknown> & { readonly required?: true }>>

/** A number as the documentation writes it: `30 000`. */
const numberText = (value: number): string => {
  if (Math.abs(value) === Infinity) return `\`${value}\``
  return Math.abs(value) < 10_000 ? String(value) : value.toLocaleString('en-US').replaceAll(',', ' ')
}

const isNumber = (option: Option<unknown>): option is NumberOption =>
  option.kind === 'number' || option.kind === 'integer'

export const unitOf = (option: Option<unknown>): string => (isNumber(option) ? (option.unit ?? '') : '')

/** The default as documentation and doc comments write it. */
export const defaultOf = (option: Option<unknown>): string => {
  const { default: value, defaultText } = option
  if (defaultText !== undefined) return defaultText
  if (unitOf(option) === 'bytes' && typeof value === 'number') return `${value / 2 ** 20} MiB`
  if (typeof value === 'number') return numberText(value)
  return typeof value === 'string' || typeof value === 'boolean' ? `\`${value}\`` : ''
}

const acceptedBy = (option: Option<unknown>): string => {
  if (!isNumber(option)) return option.expected
  const { min, above, max, default: fallback } = option
  if (min !== undefined && max !== undefined) return `${numberText(min)} to ${numberText(max)}`
  return [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(fallback === Infinity ? ['or `Infinity`'] : []),
  ].join(', ')
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const tableOf = (table: Table): string =>
  [
    row(['Option', 'Type', 'Accepted', 'Unit', 'Default', 'Meaning']),
    row(Array.from({ length: 6 }, () => '---')),
    ...Object.entries(table).map(([name, option]) =>
      row([
        `\`${name}\``,
        option.kind,
        acceptedBy(option),
        unitOf(option),
        option.required === true ? 'required' : defaultOf(option) || 'none',
        option.meaning,
      ]),
    ),
  ].join('\n')

/** The text of docs/options.md. */
export const optionsPage = (): string => `# Options

The tables are generated from the descriptions that check the options: \`npx vitest run test/option-kinds -u\` writes this page.

## \`createClient\`

An absent option has its default. An invalid value, an explicit \`undefined\`, and a name that is similar to that of an
option throw a \`ConfigurationError\`. Other unknown properties are ignored, so that the result of \`startSimulator\` can
be spread into the options. A name is similar if it differs only in upper and lower case, by one edit if one of the
names has 4 characters or more, or by two if both have 8 or more. An edit inserts, deletes or replaces a character, or
swaps two neighbours.

${tableOf(clientTable)}

### \`reconnect\`

Every wait is random between 0 and an upper bound, which doubles with each failure.

${tableOf(reconnectTable)}

## \`startGateway\`

As with \`createClient\`; the promise is rejected with the \`ConfigurationError\`.

${tableOf(gatewayTable)}

### \`tls\`

${tableOf(tlsTable)}

## \`instrument\`

As with \`createClient\`.

${tableOf(instrumentTable)}

## \`startSimulator\`

An unknown option and an invalid value reject with a \`SimulatorError\`. \`undefined\` counts as absent.

${tableOf(simulatorTable)}

## \`startTcpProxy\`

${tableOf(proxyTable)}
`
