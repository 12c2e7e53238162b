import type { ServerResponse } from 'node:http'

/** An HTTP response of the simulated service. */
export interface ServiceResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const textResponse = (
  status: number,
  body: string,
  headers: ServiceResponse['headers'] = {},
): ServiceResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain', ...headers },
  body,
})

export const jsonResponse = (body: string): ServiceResponse => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body,
})

/** Statuses of responses that have no body. */
const bodilessStatuses = [204, 304]

/** Writes a response. If `isCutOff`, writes half of the body and then closes the connection. */
export const writeResponse = (
  to: ServerResponse,
  { status, headers, body }: ServiceResponse,
  { isCutOff }: { readonly isCutOff: boolean } = { isCutOff: false },
): void => {
  if (bodilessStatuses.includes(status)) {
    to.writeHead(status, headers).end()
    return
  }
  to.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  if (!isCutOff) to.end(body)
  else to.write(body.slice(0, body.length / 2), () => to.destroy())
}
