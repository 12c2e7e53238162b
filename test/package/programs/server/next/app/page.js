export default function Page() {
  return <p>The prices are at /prices.</p>
}
