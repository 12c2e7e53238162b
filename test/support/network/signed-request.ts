import { createHmac } from 'node:crypto'

/** Headers of a signed request (section 5 of the service's documentation). Independent of the client and the simulator. */
export const signedHeaders = (
  key: string,
  path: string,
  expiration: number | string = Date.now() + 10_000,
  { service = 'svc', extra = '', body = '' } = {},
): Record<string, string> => {
  const mac = createHmac('sha256', Buffer.from(key, 'base64'))
  mac.update(`${path}x-${service}-auth-expiration${expiration}${extra}${body}`)
  return {
    [`x-${service}-auth-expiration`]: String(expiration),
    [`x-${service}-auth`]: mac.digest('base64').replace('=', ''),
  }
}

/** A signed request. Its signature was computed with a separate program, by the key whose bytes are 00 to 1f. */
export const signedExample = {
  path: '/v0/order_book/depth/0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
  headers: {
    'x-svc-auth-expiration': '1745462597105',
    'x-svc-auth': '2HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA+uroSbmeiY',
  },
  body: Buffer.alloc(0),
}

export const depthPath = (mint: string): string => `/v0/order_book/depth/${mint}`

export const getDepth = (
  { baseUrl, authKey }: { readonly baseUrl: string; readonly authKey: string },
  mint: string,
  expiration?: number | string,
): Promise<Response> =>
  fetch(baseUrl + depthPath(mint), {
    headers: signedHeaders(authKey, depthPath(mint), expiration),
    redirect: 'manual',
  })
