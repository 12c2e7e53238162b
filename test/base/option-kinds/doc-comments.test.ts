import { describe, expect, it } from 'vitest'
import { clientTable, reconnectTable } from '../../../src/client/options.js'
import { gatewayTable, historyTable, tlsTable } from '../../../src/gateway/options.js'
import { instrumentTable } from '../../../src/opentelemetry/instrument.js'
import type { Option } from '../../../src/base/option-kinds/option.js'
import { proxyTable } from '../../../src/simulator/network/tcp-proxy.js'
import { simulatorTable } from '../../../src/simulator/options.js'
import { commentsOf, defaultOf, unitOf } from './support/options-page.js'

describe.each<[string, string, Readonly<Record<string, Option<unknown>>>]>([
  ['client/options.ts', 'ClientOptions', clientTable],
  ['client/options.ts', 'ReconnectOptions', reconnectTable],
  ['gateway/options.ts', 'GatewayOptions', gatewayTable],
  ['opentelemetry/instrument.ts', 'InstrumentOptions', instrumentTable],
  ['gateway/options.ts', 'GatewayTls', tlsTable],
  ['gateway/options.ts', 'GatewayHistoryOptions', historyTable],
  ['simulator/options.ts', 'SimulatorOptions', simulatorTable],
  ['simulator/network/tcp-proxy.ts', 'TcpProxyOptions', proxyTable],
])('%s: the doc comments of %s', (file, name, table) => {
  const comments = commentsOf(file, name)

  it.each(Object.keys(table))('%s has a meaning with the unit, and the default of the table', (option) => {
    const described = table[option]!
    const { meaning, default: stated } = comments[option]!
    expect(meaning).toMatch(/^[A-Z`]/)
    const unit = unitOf(described)
    if (unit !== '') expect(meaning).toContain(`, in ${unit}`)
    // Words may follow the number, or stand for a default that depends on other options.
    const constant = defaultOf(described)
    if (described.default !== undefined)
      expect(stated.startsWith(constant.replace(/^(\d)(\d{3})$/, '$1$2')), stated).toBe(true)
  })
})
