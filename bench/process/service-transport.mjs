/** The service, as a transport in this process: prices arrive as bytes, and each subscribe frame is confirmed. */
export const createService = () => {
  let listener
  return {
    publish: (topic, price) => {
      if (listener === undefined) return
      const bytes = Buffer.from(JSON.stringify({ topic, price }))
      if (!listener.bytes(bytes, 0, bytes.length)) listener.text(bytes.toString())
    },
    dial: (_url, _options, dialled) => {
      listener = dialled
      setImmediate(() => listener.opened())
      const send = (frame) =>
        setImmediate(() => listener.text(JSON.stringify({ subscriptions: [JSON.parse(frame).topic] })))
      return { send, ping: () => setImmediate(() => listener.pong()), close() {}, terminate() {} }
    },
    close: async () => {},
  }
}
