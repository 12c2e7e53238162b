/** An answer over HTTP. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const plainText = (status: number, body: string, headers: HttpAnswer['headers'] = {}): HttpAnswer => ({
  status,
  headers: { 'Content-Type': 'text/plain', ...headers },
  body,
})

export const json = (body: string): HttpAnswer => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body,
})
