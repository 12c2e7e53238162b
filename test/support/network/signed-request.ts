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
