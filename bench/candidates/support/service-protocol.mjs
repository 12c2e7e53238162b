// The client side of the service's own protocol.

export const subscribeFrame = (topic) => JSON.stringify({ method: 'subscribe', topic })

/** Resolves when the socket is open. Accepts a `ws` socket, or one with the same events. */
export const opened = (socket) =>
  new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', (event) => reject(event.error ?? new Error(String(event.message))))
  })
