import { startTcpProxy } from 'svc-streams/simulator'
import { closeAfterTest } from '../close-after-test.js'

/** Starts a TCP proxy to a URL that delays data by `ms` in each direction. Returns its URL. It is closed after the test. */
export const startDistantLink = async (target: string, ms: number): Promise<string> => {
  const proxy = closeAfterTest(await startTcpProxy({ target }))
  proxy.delay(ms)
  return proxy.url
}
