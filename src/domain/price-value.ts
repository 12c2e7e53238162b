/** True for a finite number above zero. The single definition of a valid price: WebSocket, HTTP and depth use it. */
export const isPriceValue = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && value < Infinity
