// What the candidates that speak the service's own protocol say.

export const subscribeFrame = (topic) => JSON.stringify({ method: 'subscribe', topic })

/** A socket of `ws`, or one that has its events. */
export const opened = (socket) =>
  new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', (event) => reject(event.error ?? new Error(String(event.message))))
  })
