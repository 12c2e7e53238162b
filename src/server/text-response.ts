/** A complete HTTP response. Its body is a text. */
export interface TextResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const textResponse = (
  status: number,
  body: string,
  headers: TextResponse['headers'] = {},
): TextResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain', ...headers },
  body,
})

export const jsonResponse = (status: number, body: string): TextResponse => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body,
})

/** True if responses of this status have no body. */
export const isBodiless = (status: number): boolean => status === 204 || status === 304
