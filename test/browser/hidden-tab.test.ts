import type { ClientOptions } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { startScriptedService } from '../support/network/scripted-service.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'
import { logPrices, tagsOf, type Evaluator, type PageScope } from './support/page.js'
import { openSilentPage, optionsFor } from './support/silent-page.js'
import { openTab, type Tab } from './support/tab.js'

const staleAfter = 100

/** Hides a tab, and waits until Chromium wakes its timers only once a second. */
const hide = async (tab: Tab): Promise<void> => {
  await tab.hide()
  await eventually(async () => expect(await tab.evaluate('document.visibilityState')).toBe('hidden'))
  await tab.evaluate(async () => {
    let waitedMs = 0
    while (waitedMs < 500) {
      const before = performance.now()
      await new Promise((resolve) => setTimeout(resolve, 10))
      waitedMs = performance.now() - before
    }
  })
}

interface NativeWebSocket {
  readonly prototype: { send: (this: unknown, frame: string) => void }
}

interface LatePage extends PageScope {
  receivedAt: number | undefined
}

/** Subscribes with a new client just after the timers have been woken: the next time is a second later. */
const subscribeAfterTimers = (tab: Evaluator, options: ClientOptions): Promise<void> =>
  tab.evaluate(
    async ([clientOptions, topic]) => {
      const scope = globalThis as unknown as LatePage
      await new Promise((resolve) => setTimeout(resolve, 10))
      scope.receivedAt = undefined
      scope.log.length = 0
      scope.client = scope.svcStreams.createClient(clientOptions)
      scope.client.price$(topic).subscribe((event) => {
        scope.receivedAt ??= performance.now()
        scope.log.push(event)
      })
    },
    [options, ethTopic] as const,
  )

/** Subscribes once more, and unsubscribes at once. */
const join = (tab: Evaluator) =>
  tab.evaluate((topic) => {
    const { client, log, receivedAt = Infinity } = globalThis as unknown as LatePage
    const ageMs = performance.now() - receivedAt
    const isStale = log.some((event) => (event as { _tag: string })._tag === 'Left')
    const tags: string[] = []
    client
      .price$(topic)
      .subscribe(({ _tag }) => tags.push(_tag))
      .unsubscribe()
    return { ageMs, isStale, tags }
  }, ethTopic)

describe('a page in a hidden tab', () => {
  it('gives a late subscriber no price that is older than staleAfter, while its timers are late', async () => {
    const { url } = await startScriptedService({
      onSubscribe: (connection, topic) => connection.sendPrice(topic, 1),
    })
    const tab = await openTab()
    await hide(tab)
    const late: Awaited<ReturnType<typeof join>>[] = []
    // On a busy machine, the time between the age and the late timer may pass without a join: then once more.
    while (late.length === 0) {
      await subscribeAfterTimers(tab, { ...optionsFor(url), staleAfter })
      await eventually(async () => {
        const joined = await join(tab)
        if (joined.ageMs >= staleAfter && !joined.isStale) late.push(joined)
        expect(joined.isStale).toBe(true)
      })
    }
    expect(late.flatMap(({ tags }) => tags)).toEqual([])
  })

  it('keeps a connection whose answer is in the buffer of the socket when a late deadline fires', async () => {
    const { tab, connections, nextProbe } = await openSilentPage()
    await tab.evaluate(() => {
      const { WebSocket, log } = globalThis as unknown as PageScope & { readonly WebSocket: NativeWebSocket }
      const { send } = WebSocket.prototype
      WebSocket.prototype.send = function (frame) {
        WebSocket.prototype.send = send
        send.call(this, frame)
        // The answer arrives, and then the deadline passes, while the event loop is blocked.
        const end = performance.now() + 1200
        while (performance.now() < end);
        log.push({ _tag: 'blocked' })
      }
    })
    await hide(tab)
    await eventually(async () => expect(await tagsOf(tab)).toContain('blocked'))
    await nextProbe()
    expect(await tagsOf(tab)).toEqual(['blocked'])
    expect(connections).toHaveLength(1)
  })

  it('probes at once when the tab is visible again', async () => {
    const { url, connections } = await startScriptedService({
      onSubscribe: (connection, topic) => connection.sendConfirmation(topic),
    })
    const tab = await openTab()
    await logPrices(tab, { ...optionsFor(url), pingInterval: 1e9, maxLag: 1e9 }, ethTopic)
    await eventually(() => expect(connections[0]?.receivedMessages).toHaveLength(1))
    await hide(tab)
    expect(connections[0]?.receivedMessages).toHaveLength(1)
    await tab.show()
    await eventually(() => expect(connections[0]?.receivedMessages).toHaveLength(2))
  })
})
