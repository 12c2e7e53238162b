import { describe, expect, it } from 'vitest'
import { authKey } from '../support/simulator.js'
import { openPage, type PageScope } from './support/page.js'

describe('createClient in a page', () => {
  it.each([
    ['authKey', { authKey }, 'allowBrowserKey: true'],
    ['ca', { ca: 'x' }, 'not available in a browser'],
    ['environment', { environment: 'main' }, 'mainnet'],
  ])('throws a ConfigurationError for %s', async (option, options, text) => {
    const page = await openPage()
    const error = await page.evaluate((given) => {
      const { svcStreams } = globalThis as unknown as PageScope
      try {
        svcStreams.createClient({
          environment: 'mainnet',
          priceBaseUrl: 'https://a',
          baseUrl: 'https://a',
          ...given,
        } as never)
        return undefined
      } catch (thrown) {
        const { message, option: name } = thrown as { readonly message: string; readonly option: string }
        return { message, option: name, isOwn: thrown instanceof svcStreams.ConfigurationError }
      }
    }, options)
    expect(error).toEqual({ message: expect.stringContaining(text) as unknown, option, isOwn: true })
    expect(JSON.stringify(error)).not.toContain(authKey)
  })
})

describe('signRequest in a page', () => {
  it('signs the worked example of the protocol', async () => {
    const page = await openPage()
    const signature = await page.evaluate((key) => {
      const { svcStreams } = globalThis as unknown as PageScope
      const path = '/v0/order_book/depth/0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
      const headers = { 'x-svc-auth-expiration': '1745462597105' }
      return svcStreams.signRequest({ key, path, headers })
    }, authKey)
    expect(signature).toEqual({ _tag: 'Right', right: '2HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA+uroSbmeiY' })
  })
})
