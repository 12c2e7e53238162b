import { readFileSync } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../../src/cli/render/table.js'
import { decodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { startScriptedService } from '../../support/network/scripted-service.js'
import { startHttpServer } from '../../support/network/servers.js'
import { eventually } from '../../support/time/eventually.js'
import { weth, wbtc } from '../../support/tokens.js'
import { hostileText, unsafeCharacters } from '../../support/unsafe-characters.js'
import { newFile } from '../support/new-file.js'
import { startOnTerminal } from '../support/terminal.js'
import type { RunningCommand } from '../support/running-command.js'
import { runInProcess, startInProcess } from '../support/in-process.js'

/** A service that sends hostile texts in each place where a text is possible. The connections end one after the other. */
const startHostileService = async () => {
  const origin = await startHttpServer((_request, response) => response.writeHead(500).end(hostileText))
  let connections = 0
  const { url } = await startScriptedService({
    onSubscribe: (connection, topic) => {
      connection.send(JSON.stringify({ topic, price: hostileText }))
      connection.send(JSON.stringify({ topic: `svc-0xdead${hostileText}`, price: 1 }))
      connection.send(JSON.stringify({ topic, [hostileText]: 1 }))
      if (topic.includes(wbtc)) {
        connection.send(`Error: no ${topic} ${hostileText}`)
        return connection.send(`Error: ${hostileText}`)
      }
      connection.sendConfirmation(topic)
      connection.sendPrice(topic, 2500)
      connection.send(Buffer.from(hostileText))
    },
    onOpen: ({ tcpSocket, receivedMessages }) => {
      // A close frame with code 1012 and this reason.
      const reason = Buffer.concat([Buffer.of(0x03, 0xf4), Buffer.from(hostileText.slice(0, 60))])
      // The first connection subscribes to both tokens, the others do not subscribe to the rejected one. The client may
      // close the connection before it has sent these messages.
      connections += 1
      const expected = connections === 1 ? 2 : 1
      void eventually(() => receivedMessages.length >= expected).then(
        () => tcpSocket.end(Buffer.concat([Buffer.of(0x88, reason.length), reason])),
        () => undefined,
      )
    },
  })
  return {
    SVC_BASE_URL: origin,
    SVC_PRICE_BASE_URL: origin,
    SVC_PRICE_WS_URL: url,
    SVC_AUTH_KEY: 'AAECAwQFBgcICQoLDA0ODw',
    SVC_TOKENS: `以太🚀\u202e=${weth},${wbtc}`,
  }
}

const stop = async (command: RunningCommand): Promise<void> => {
  command.process.kill('SIGINT')
  await command.waitForExit()
}

const rowsOf = (text: string): readonly Row[] =>
  text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const row = decodeRow(line)
      return isLeft(row) ? [] : [row.right]
    })

describe('a hostile text of the service', () => {
  test('is escaped in each line of a pipe', async () => {
    const command = startInProcess(['watch', '--interval', '20'], await startHostileService())
    await eventually(
      () => command.stdout.includes(' depth error: status ') && command.stdout.includes('error: error-text'),
    )
    await eventually(
      () => command.stdout.includes(' rejected by the service: ') && command.stdout.includes(' frame: '),
    )
    await eventually(() => / connection down .*1012/.test(command.stdout))
    await stop(command)
    expect(command.output).not.toMatch(unsafeCharacters)
    expect(command.stdout).toContain('以太🚀\\u202e price error: ')
    expect(command.stdout).toContain('\\u202ed\\u2066e\\u2069\\u061cf')
  })

  test('is escaped in JSON lines, which decode to the original text', async () => {
    const command = startInProcess(['watch', '--json', '--interval', '20'], await startHostileService())
    await eventually(() => command.stdout.includes('"HttpError"'))
    await eventually(
      () => command.stdout.includes('"SubscriptionRejected"') && command.stdout.includes('"Uncorrelated"'),
    )
    await eventually(() => command.stdout.includes('"code":1012'))
    await stop(command)
    expect(command.output).not.toMatch(unsafeCharacters)
    const rows = rowsOf(command.stdout)
    const bodies = rows.flatMap((row) => (row._tag === 'Depth' && isLeft(row.event) ? [row.event.left] : []))
    expect(bodies).toContainEqual(expect.objectContaining({ _tag: 'HttpError', body: hostileText }))
    expect(JSON.stringify(rows)).toContain(JSON.stringify(hostileText).slice(1, -1))
  })

  test('is escaped on a terminal, and no line is wider than the terminal', async () => {
    const environment = await startHostileService()
    const size = { columns: 60, rows: 24 }
    const command = startOnTerminal(['watch', '--interval', '20'], environment, size)
    await eventually(() =>
      /matches no token: [^]*(?:No connection|Connection lost)[^]*down \(/.test(command.stdout),
    )
    await stop(command)
    const text = command.stdout.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r', '')
    expect(text).not.toMatch(unsafeCharacters)
    expect(text).toContain('以太🚀')
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(size.columns)
  })

  test.each([
    ['price', []],
    ['price', ['--json']],
    ['depth', []],
    ['depth', ['--json']],
  ])('is escaped in the error of %s %j', async (name, flags) => {
    const { code, stdout, stderr } = await runInProcess([name, ...flags, weth], await startHostileService())
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('\\u202e')
    expect(stderr).not.toMatch(unsafeCharacters)
  })

  test('is escaped in a recording, and in its replay', async () => {
    const file = newFile('market.ndjson')
    const environment = await startHostileService()
    const command = startInProcess(['record', '--interval', '20', '--out', file], environment)
    await eventually(() => {
      const text = readFileSync(file, 'utf8')
      return text.includes('"HttpError"') && text.includes('"code":1012')
    })
    await stop(command)
    const recorded = readFileSync(file, 'utf8')
    expect(recorded + command.output).not.toMatch(unsafeCharacters)
    expect(JSON.stringify(rowsOf(recorded))).toContain(JSON.stringify(hostileText).slice(1, -1))
    for (const flags of [[], ['--json']]) {
      const { code, stdout, stderr } = await runInProcess(['replay', file, '--speed', 'max', ...flags])
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain('\\u202e')
      expect(stdout).not.toMatch(unsafeCharacters)
    }
  })

  test('is escaped in the error of a damaged recording', async () => {
    const header = '{"_tag":"Recording","version":1,"at":0,"topics":["svc-0xab"],"mints":[],"interval":1}'
    const file = newFile('damaged.ndjson', `${header}\n${hostileText}\n`)
    const { code, stderr } = await runInProcess(['replay', file, '--speed', 'max'])
    expect(code).toBe(1)
    expect(stderr).not.toMatch(unsafeCharacters)
  })

  test('is escaped in all that the commands for recordings print about a file', async () => {
    const topic = `${hostileText}-0xab`
    const header = { _tag: 'Recording', version: 1, at: 1, topics: [topic], mints: [], interval: 1 }
    const error = {
      _tag: 'NetworkError',
      message: hostileText,
      cause: { name: hostileText, message: hostileText },
    }
    const rows = [
      header,
      {
        _tag: 'Price',
        at: 2,
        topic,
        event: { _tag: 'Right', right: { topic, price: 1, receivedAt: 2, epoch: 1 } },
      },
      { _tag: 'Depth', at: 3, mint: '0xab', event: { _tag: 'Left', left: error } },
    ]
    const file = newFile('market.ndjson', rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const strategy = newFile(
      'strategy.mjs',
      `export default () => { throw new Error(${JSON.stringify(hostileText)}) }`,
    )
    const parameters = newFile('parameters.json', JSON.stringify([hostileText]))
    const backtest = [file, strategy, '--parameters', parameters]
    for (const args of [
      ['inspect', file],
      ['replay', file, '--speed', 'max'],
      ['sweep', ...backtest],
    ])
      for (const flags of [[], ['--json']]) {
        const { stdout, stderr } = await runInProcess([...args, ...flags])
        expect(stdout + stderr, args.join(' ')).not.toMatch(unsafeCharacters)
      }
  })
})
