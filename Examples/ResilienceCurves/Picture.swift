import ResilienceSimulator

/// The results of policies in one scenario, drawn second by second as SVG.
struct Picture {
    private static let colors = ["#8a8a8a", "#b08900", "#d1495b", "#2e7dd1", "#8e5bb5", "#1a936f"]
    private static let width = 760.0
    private static let height = 190.0
    private static let left = 56.0

    let scenario: Scenario
    let scores: [Score]

    /// The whole document.
    var svg: String {
        let panels: [(title: String, value: (Score.Second) -> Int)] = [
            ("answered a second", { $0.answered }), ("waiting or worked on at the servers", { $0.atServers }),
            ("limit of one client for one server", { $0.limit }),
        ]
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="860" height="720" viewBox="0 0 860 720" font-family="system-ui, sans-serif" font-size="13">
            <title>\(scenario.name)</title>
            <rect width="860" height="720" fill="#ffffff"/>
            <text x="\(Self.left)" y="26" font-size="17" font-weight="600" fill="#222222">\(scenario.name)</text>

            """
        for (index, panel) in panels.enumerated() {
            text += self.panel(panel.title, top: 50 + Double(index) * (Self.height + 24), panel.value)
        }
        for (index, score) in scores.enumerated() {
            let x = Self.left + Double(index) * 132
            text += """
                <rect x="\(x)" y="694" width="14" height="4" fill="\(Self.colors[index % Self.colors.count])"/>
                <text x="\(x + 20)" y="700" fill="#222222">\(score.policy) \(Int((score.goodput * 100).rounded())) %</text>

                """
        }
        return text + "</svg>\n"
    }

    private func panel(_ title: String, top: Double, _ value: (Score.Second) -> Int) -> String {
        let isOfCalls = title.hasPrefix("answered")
        let offered = scores.first?.series.map { Double($0.offered) } ?? []
        let lines = scores.map { $0.series.map { Double(value($0)) } }
        let most = max(1, (lines + (isOfCalls ? [offered] : [])).flatMap(\.self).max() ?? 1)
        let bottom = top + Self.height - 26
        func points(_ values: [Double]) -> String {
            values.enumerated().map { second, value in
                let x = Self.left + Self.width * Double(second) / Double(max(1, values.count - 1))
                let y = bottom - (Self.height - 40) * value / most
                return "\((x * 10).rounded() / 10),\((y * 10).rounded() / 10)"
            }.joined(separator: " ")
        }
        var text = "<text x=\"\(Self.left)\" y=\"\(top)\" fill=\"#555555\">\(title)</text>\n"
        if let disturbance = scenario.disturbance {
            let scale = Self.width / scenario.length
            let x = Self.left + disturbance.lowerBound * scale
            let width = (disturbance.upperBound - disturbance.lowerBound) * scale
            text +=
                "<rect x=\"\(x)\" y=\"\(top + 8)\" width=\"\(width)\" height=\"\(bottom - top - 8)\" fill=\"#f3e9e9\"/>\n"
        }
        text +=
            "<path d=\"M\(Self.left) \(top + 8)V\(bottom)H\(Self.left + Self.width)\" fill=\"none\" stroke=\"#bbbbbb\"/>\n"
        text +=
            "<text x=\"\(Self.left - 6)\" y=\"\(top + 18)\" text-anchor=\"end\" fill=\"#555555\">\(Int(most))</text>\n"
        text += "<text x=\"\(Self.left + Self.width)\" y=\"\(bottom + 15)\" text-anchor=\"end\" fill=\"#555555\">"
        text += "\(Int(scenario.length)) s</text>\n"
        if isOfCalls {
            text +=
                "<polyline points=\"\(points(offered))\" fill=\"none\" stroke=\"#222222\" stroke-dasharray=\"2 3\"/>\n"
        }
        for (index, line) in lines.enumerated() where line.contains(where: { $0 > 0 }) {
            let color = Self.colors[index % Self.colors.count]
            text += "<polyline points=\"\(points(line))\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"1.5\"/>\n"
        }
        return text
    }
}
