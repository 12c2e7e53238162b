/** An answer over HTTP. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const plainText = (status: number, body: string, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: { 'Content-Type': 'text/plain', ...headers },
  body,
})

export const json = (body: string): Answer => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body,
})
