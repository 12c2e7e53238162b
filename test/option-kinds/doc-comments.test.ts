import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { clientTable, reconnectTable } from '../../src/client/option-table.js'
import { gatewayTable, tlsTable } from '../../src/gateway/option-table.js'
import { instrumentTable } from '../../src/opentelemetry/option-table.js'
import type { Option } from '../../src/option-kinds/option.js'
import { proxyTable } from '../../src/simulator/network/tcp-proxy.js'
import { simulatorTable } from '../../src/simulator/option-table.js'
import { defaultOf, unitOf } from './support/options-page.js'

/** The doc comments of an interface's properties, each on one line. */
const commentsOf = (file: string, name: string): Readonly<Record<string, string>> => {
  const text = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = source.statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  ) as ts.InterfaceDeclaration
  const commentOf = (member: ts.TypeElement) =>
    ts.getJSDocCommentsAndTags(member).map(({ comment }) => ts.getTextOfJSDocComment(comment))
  return Object.fromEntries(
    found.members.map((member) => [
      member.name?.getText() ?? '',
      commentOf(member).join(' ').replace(/\s+/g, ' '),
    ]),
  )
}

describe.each<[string, string, Readonly<Record<string, Option<unknown>>>]>([
  ['client/options.ts', 'ClientOptions', clientTable],
  ['client/options.ts', 'ReconnectOptions', reconnectTable],
  ['gateway/options.ts', 'GatewayOptions', gatewayTable],
  ['opentelemetry/options.ts', 'InstrumentOptions', instrumentTable],
  ['gateway/options.ts', 'GatewayTls', tlsTable],
  ['simulator/options.ts', 'SimulatorOptions', simulatorTable],
  ['simulator/network/tcp-proxy.ts', 'TcpProxyOptions', proxyTable],
])('%s: the doc comments of %s', (file, name, table) => {
  const comments = commentsOf(file, name)

  it.each(Object.keys(table))('%s has the meaning, the unit and the default of its description', (option) => {
    const described = table[option]!
    const unit = unitOf(described)
    const comment = comments[option] ?? ''
    expect(comment.startsWith(described.meaning + (unit === '' ? '' : `, in ${unit}`)), comment).toBe(true)
    const [, stated] = / Default: (.*)\.$/.exec(comment) ?? []
    expect(stated ?? '').toBe(defaultOf(described))
  })
})
