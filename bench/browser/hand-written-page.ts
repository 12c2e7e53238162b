// A page by hand: one WebSocket, `JSON.parse`, and a map from topics to callbacks.

interface Page {
  receive(url: string, topics: readonly string[]): void
  received: number
}

const page = globalThis as unknown as Page & { readonly WebSocket: new (url: string) => BrowserSocket }

interface BrowserSocket {
  onopen: () => void
  onmessage: (event: { readonly data: string }) => void
  send(frame: string): void
}

page.received = 0
page.receive = (url, topics) => {
  const callbacks = new Map(topics.map((topic) => [topic, () => (page.received += 1)]))
  const socket = new page.WebSocket(url)
  socket.onopen = () => {
    for (const topic of topics) socket.send(JSON.stringify({ method: 'subscribe', topic }))
  }
  socket.onmessage = ({ data }) => {
    const { topic, price } = JSON.parse(data) as { readonly topic?: string; readonly price?: unknown }
    if (topic !== undefined && typeof price === 'number') callbacks.get(topic)?.()
  }
}
