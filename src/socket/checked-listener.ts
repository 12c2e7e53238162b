import { noCloseFrame, type ResponseHead, type SocketListener } from '../transport/ports.js'

/**
 * The listener for a transport, which may be plain JavaScript. A frame of a wrong type is a transport failure. A close
 * with wrong arguments is still a close: the client must reconnect.
 */
export const checkedListener = (
  listener: SocketListener,
  onException: (thrown: unknown) => void,
): SocketListener => ({
  ...listener,
  text: (frame: unknown) => {
    if (typeof frame === 'string') listener.text(frame)
    else onException(new TypeError('the transport passed a text frame that is not a string'))
  },
  binary: (frame) => {
    if (ArrayBuffer.isView(frame)) listener.binary(frame)
    else onException(new TypeError('the transport passed a binary frame that is not a Uint8Array'))
  },
  closed: (code: unknown, reason: unknown, refusal: unknown) =>
    listener.closed(
      typeof code === 'number' ? code : noCloseFrame,
      typeof reason === 'string' ? reason : '',
      isResponseHead(refusal) ? refusal : undefined,
    ),
})

const isResponseHead = (value: unknown): value is ResponseHead =>
  typeof value === 'object' &&
  value !== null &&
  'headers' in value &&
  typeof value.headers === 'object' &&
  value.headers !== null
