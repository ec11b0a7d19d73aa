// What to send first.

export function curlExample(origin) {
  return `curl ${origin}/ndjson -d '{"level":"info","component":"shell","message":"hello","user":42}'`;
}

export function swiftExample(origin) {
  return `let shipper = LogShipper(to: .otlp("${origin}"))`;
}
