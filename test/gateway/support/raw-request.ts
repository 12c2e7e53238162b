import { connect } from 'node:net'
import { onTestFinished } from 'vitest'

export interface RawResponse {
  /** 0 if the connection ended without a response. */
  readonly status: number
  /** Everything received until the connection ended. */
  readonly text: string
}

/** Sends bytes over a TCP connection of its own. Resolves when the gateway has ended the connection. */
export const sendRaw = (baseUrl: string, bytes: string): Promise<RawResponse> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl)
    const socket = connect(Number(port), hostname)
    let text = ''
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }))
    socket.write(bytes, 'latin1')
  })

/** Sends a GET request with this target and these header lines, byte for byte. */
export const getRaw = (
  baseUrl: string,
  target: string,
  headers: readonly string[] = [`Host: ${new URL(baseUrl).host}`],
): Promise<RawResponse> =>
  sendRaw(baseUrl, [`GET ${target} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'))
