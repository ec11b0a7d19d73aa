import HTTPChainSupport
import HTTPTypes

extension Trace {
    /// Returns the trace as a waterfall in a self-contained page, without scripts or external resources.
    public func html() -> String {
        let total = max(duration / .microseconds(1), 1)
        let rows = spans.map { span in
            let left = span.start / .microseconds(1) / total * 100
            let width = max(span.duration / .microseconds(1) / total * 100, 0.3)
            let own = span.duration > .zero ? span.ownTime / span.duration * 100 : 100
            let changes = span.lines.map { "<li>\(Escaping.markup($0))</li>" }.joined()
            return """
                <tr class="\(span.outcome.cssClass)">
                <th scope="row" style="padding-left:\(Double(span.depth) * 0.9 + 0.6)rem">\(Escaping.markup(span.name))\
                <small>\(Escaping.markup(span.phase))</small></th>
                <td class="time">\(Self.milliseconds(span.duration))<small>own \(Self.milliseconds(span.ownTime))</small></td>
                <td class="outcome">\(Escaping.markup("\(span.outcome)"))</td>
                <td class="lane"><div class="bar" style="margin-left:\(Self.percent(left));width:\(Self.percent(width))" \
                title="began at \(Self.milliseconds(span.start)), took \(Self.milliseconds(span.duration))">\
                <div class="own" style="width:\(Self.percent(own))"></div></div>\
                \(changes.isEmpty ? "" : "<ul>\(changes)</ul>")</td>
                </tr>
                """
        }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(Escaping.markup(request))</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <h1>\(Escaping.markup(request))</h1>
            <p class="\(outcome.cssClass)"><span class="outcome">\(Escaping.markup("\(outcome)"))</span> \
            in \(Self.milliseconds(duration)), \(spans.count) spans. A bar is the time within a stage and all inside it; \
            its dark part is the share of the stage itself.</p>
            <table>
            <thead><tr><th>stage</th><th>took</th><th>outcome</th><th>0 to \(Self.milliseconds(duration))</th></tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody>
            </table>
            </body>
            </html>

            """
    }

    private static func percent(_ value: Double) -> String {
        "\((min(max(value, 0), 100) * 100).rounded() / 100)%"
    }

    private static let style = """
        :root { color-scheme: light dark; --line: #8883; --bar: #9db8e8; --own: #2f5fb3; --bad: #c0392b; --good: #1e8449 }
        @media (prefers-color-scheme: dark) { :root { --bar: #3d5a8f; --own: #8fb4ff; --bad: #ff8a7a; --good: #6fd198 } }
        body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem }
        h1 { font-size: 1.15rem; overflow-wrap: anywhere }
        table { border-collapse: collapse; width: 100% }
        th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-top: 1px solid var(--line) }
        thead th { border: 0; font-size: .8rem; font-weight: 600; opacity: .7 }
        tbody th { font-weight: 600; white-space: nowrap }
        small { display: block; font-weight: 400; opacity: .65 }
        .time { white-space: nowrap; font-variant-numeric: tabular-nums }
        .outcome { color: var(--good); max-width: 18rem; overflow-wrap: anywhere }
        .bad .outcome { color: var(--bad) }
        .lane { width: 50% }
        .bar { background: var(--bar); border-radius: 3px; height: .8rem; margin-top: .3rem; overflow: hidden }
        .own { background: var(--own); height: 100% }
        ul { margin: .3rem 0 0; padding: 0; list-style: none; font: 12px/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
        """
}

extension Trace.Outcome {
    fileprivate var cssClass: String {
        switch self {
        case .response(let status): status.kind == .clientError || status.kind == .serverError ? "bad" : "good"
        case .failure, .abandoned: "bad"
        }
    }
}
