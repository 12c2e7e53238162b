import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { clientTable, reconnectTable } from '../../../../src/client/options.js'
import { gatewayTable, historyTable, tlsTable } from '../../../../src/gateway/options.js'
import { instrumentTable } from '../../../../src/opentelemetry/instrument.js'
import type { NumberOption } from '../../../../src/base/option-kinds/number-option.js'
import type { Option } from '../../../../src/base/option-kinds/option.js'
import { proxyTable } from '../../../../src/simulator/network/tcp-proxy.js'
import { simulatorTable } from '../../../../src/simulator/options.js'

type Table = Readonly<Record<string, Option<unknown> & { readonly required?: true }>>

/** A number as the documentation writes it: `30 000`. */
const numberText = (value: number): string => {
  if (Math.abs(value) === Infinity) return `\`${value}\``
  return Math.abs(value) < 10_000 ? String(value) : value.toLocaleString('en-US').replaceAll(',', ' ')
}

const isNumber = (option: Option<unknown>): option is NumberOption =>
  option.kind === 'number' || option.kind === 'integer'

export const unitOf = (option: Option<unknown>): string => (isNumber(option) ? (option.unit ?? '') : '')

/** A constant default as doc comments write it; empty if there is none. */
export const defaultOf = (option: Option<unknown>): string => {
  const { default: value } = option
  if (unitOf(option) === 'bytes' && typeof value === 'number' && value < Infinity)
    return value < 2 ** 30 ? `${value / 2 ** 20} MiB` : `${value / 2 ** 30} GiB`
  if (typeof value === 'number') return numberText(value)
  return typeof value === 'string' || typeof value === 'boolean' ? `\`${value}\`` : ''
}

/** The content of an option's doc comment. */
export interface OptionComment {
  /** The first sentence, without the unit and the period. */
  readonly meaning: string
  /** Empty if the comment states none. */
  readonly default: string
}

/** The doc comments of the properties of an interface, in a file of `src`. */
export const commentsOf = (
  file: string,
  name: string,
  unitOfOption: (option: string) => string = () => '',
): Readonly<Record<string, OptionComment>> => {
  const text = readFileSync(new URL(`../../../../src/${file}`, import.meta.url), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = source.statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  ) as ts.InterfaceDeclaration
  return Object.fromEntries(
    found.members.map((member) => {
      const option = member.name?.getText() ?? ''
      const comments = ts
        .getJSDocCommentsAndTags(member)
        .map(({ comment }) => ts.getTextOfJSDocComment(comment))
      const words = comments.join(' ').replace(/\s+/g, ' ')
      const [, meaning = ''] = /^(.*?)\.(?: [A-Z`]|$)/.exec(words) ?? []
      const [, stated = ''] = / Default: (.*)\.$/.exec(words) ?? []
      const unit = unitOfOption(option)
      return [
        option,
        { meaning: unit === '' ? meaning : meaning.replace(`, in ${unit}`, ''), default: stated },
      ]
    }),
  )
}

const defaultText = ({ required }: Table[string], stated = ''): string => {
  if (required === true) return 'required'
  return stated === '' ? 'none' : stated
}

const acceptedBy = (option: Option<unknown>): string => {
  if (!isNumber(option)) return option.expected
  const { min, above, max, default: fallback } = option
  const unit = option.unit === undefined ? '' : ` ${option.unit}`
  if (min !== undefined && max !== undefined) return `${numberText(min)} to ${numberText(max)}${unit}`
  return [
    ...(above === undefined ? [] : [`above ${above}${unit}`]),
    ...(min === undefined ? [] : [`at least ${min}${unit}`]),
    ...(max === undefined ? [] : [`at most ${max}${unit}`]),
    ...(fallback === Infinity ? ['or `Infinity`'] : []),
  ].join(', ')
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const tableOf = (table: Table, file: string, name: string): string => {
  const comments = commentsOf(file, name, (option) =>
    table[option] === undefined ? '' : unitOf(table[option]),
  )
  return [
    row(['Option', 'Accepted', 'Default', 'Meaning']),
    row(Array.from({ length: 4 }, () => '---')),
    ...Object.entries(table).map(([key, option]) =>
      row([
        `\`${key}\``,
        acceptedBy(option),
        defaultText(option, comments[key]?.default),
        comments[key]?.meaning ?? '',
      ]),
    ),
  ].join('\n')
}

/** The text of docs/reference/options.md. */
export const optionsPage = (): string => `# Options

\`npx vitest run test/base/option-kinds -u\` writes this page. It generates the tables from the descriptions that check the options.

## \`createClient\`

An absent option has its default. An invalid value, an explicit \`undefined\`, and a name that is nearly the name of an option
(by case, one edit, or two edits of long names) throw a \`ConfigurationError\`. Other unknown properties are ignored, so that
the result of \`startSimulator\` can be spread into the options.

${tableOf(clientTable, 'client/options.ts', 'ClientOptions')}

### \`reconnect\`

Every wait is random, between 0 and an upper bound that doubles with each failure.

${tableOf(reconnectTable, 'client/options.ts', 'ReconnectOptions')}

## \`startGateway\`

The rules of \`createClient\` apply. An error rejects the promise with the \`ConfigurationError\`.

${tableOf(gatewayTable, 'gateway/options.ts', 'GatewayOptions')}

### \`tls\`

${tableOf(tlsTable, 'gateway/options.ts', 'GatewayTls')}

### \`history\`

${tableOf(historyTable, 'gateway/options.ts', 'GatewayHistoryOptions')}

## \`instrument\`

The rules of \`createClient\` apply.

${tableOf(instrumentTable, 'opentelemetry/instrument.ts', 'InstrumentOptions')}

## \`startSimulator\`

An unknown option or an invalid value rejects the promise with a \`SimulatorError\`. \`undefined\` counts as absent.

${tableOf(simulatorTable, 'simulator/options.ts', 'SimulatorOptions')}

## \`startTcpProxy\`

${tableOf(proxyTable, 'simulator/network/tcp-proxy.ts', 'TcpProxyOptions')}
`
