import type { CDPSession } from 'playwright-core'

/** Calls a method of the DevTools protocol on one target. */
export type CallTarget = (method: string, parameters?: object) => Promise<unknown>

interface Reply {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** Attaches to a target that Playwright ignores, and that therefore has no session of its own. */
export const attach = async (browserSession: CDPSession, targetId: string): Promise<CallTarget> => {
  const { sessionId } = await browserSession.send('Target.attachToTarget', { targetId, flatten: false })
  const pending = new Map<number, (reply: Reply) => void>()
  browserSession.on('Target.receivedMessageFromTarget', (event) => {
    const reply = JSON.parse(event.message) as Reply
    if (event.sessionId === sessionId && reply.id !== undefined) pending.get(reply.id)?.(reply)
  })
  let lastId = 0
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      pending.set(id, ({ result, error }) => {
        pending.delete(id)
        if (error === undefined) resolve(result)
        else reject(new Error(`${method}: ${error.message}`))
      })
      const message = JSON.stringify({ id, method, params })
      browserSession.send('Target.sendMessageToTarget', { sessionId, message }).catch(reject)
    })
}
