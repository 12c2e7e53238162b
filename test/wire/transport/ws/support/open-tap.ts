import { nextTurn } from '../../../../support/time/event-loop.js'
import { acceptKeyOf, upgradeResponse } from '../../../../support/network/upgrade.js'
import { FakeTcpSocket } from './fake-tcp-socket.js'
import { frameTapOver, type OnTextFrame } from './frame-tap-over.js'

export const maxFrameBytes = 100_000

export const always = () => true

/** A response that accepts the upgrade. */
export const handshake = upgradeResponse(acceptKeyOf(''))

/** A tap over a fake socket, and the bytes that it forwards. It has no reader before `startReading`. */
export const openTap = (onTextFrame: OnTextFrame, limit = maxFrameBytes) => {
  const tcpSocket = new FakeTcpSocket()
  const tap = frameTapOver(tcpSocket, limit, onTextFrame)
  const forwarded: Buffer[] = []
  const receive = (...pieces: readonly Buffer[]): void => {
    for (const piece of pieces) tcpSocket.emit('data', piece)
  }
  const startReading = async (): Promise<void> => {
    tap.on('data', (piece: Buffer) => forwarded.push(piece))
    await nextTurn()
  }
  return { tcpSocket, tap, forwarded, receive, startReading }
}

const contentOf = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.subarray(start, end)).toString()

/** Records the payloads of text frames. `removes` decides which of them it handles. */
export const recordPayloads = (removes: (content: string) => boolean = always) => {
  const payloads: string[] = []
  const onTextFrame: OnTextFrame = (bytes, start, end) => {
    const content = contentOf(bytes, start, end)
    payloads.push(content)
    return removes(content)
  }
  return { payloads, onTextFrame }
}
