import HTTPChainCore
import HTTPTypes
import Testing

@Suite("Redaction of what is secret in one call")
struct RedactionCallTests {
    private let plant: HTTPField.Name
    private let fields: HTTPFields

    init() throws {
        plant = try #require(HTTPField.Name("X-Plant"))
        fields = [plant: "hunter2", .accept: "*/*"]
    }

    @Test("Fields that belong to one origin are secret, and so are their values wherever they stand")
    func bound() {
        let redaction = Redaction.standard.adding(boundFields: [plant], of: fields)
        #expect(redaction.isSecret(plant) && !redaction.isSecret(.accept))
        #expect(redaction.isSecret(.authorization))
        #expect(redaction.text("a hunter2 of */*") == "a <redacted> of */*")
        #expect(!Redaction.standard.isSecret(plant))
    }

    @Test("A field that is marked is secret, and so is its value wherever it stands")
    func marked() {
        var field = HTTPField(name: plant, value: "hunter2")
        field.indexingStrategy = .disallow
        #expect(Redaction.standard.isSecret(field))
        #expect(Redaction.standard.isSecret(HTTPField(name: .cookie, value: "a")))
        #expect(!Redaction.standard.isSecret(HTTPField(name: plant, value: "hunter2")))
        var fields = fields
        #expect(Redaction.standard.adding(markedIn: fields) == .standard)
        fields[fields: plant] = [field]
        let redaction = Redaction.standard.adding(markedIn: fields)
        #expect(redaction.text("a hunter2 of */*") == "a <redacted> of */*")
    }

    @Test("Texts of six bytes and more are looked for, each once")
    func values() {
        let redaction = Redaction.standard.adding(values: ["hunter", "plant"])
        #expect(redaction.text("hunters of plants") == "<redacted>s of plants")
        #expect(redaction.adding(values: ["hunter"]) == redaction)
    }

    @Test("What is secret to either is secret to their union")
    func union() {
        let byName = Redaction.standard.adding(boundFields: [plant], of: [:])
        let byValue = Redaction.standard.adding(values: ["hunter2"])
        for both in [byName.union(byValue), byValue.union(byName)] {
            #expect(both.isSecret(plant))
            #expect(both.text("a hunter2") == "a <redacted>")
        }
        #expect(byName.union(.standard) == byName)
    }

    @Test("Redactions are equal when all that they know is")
    func equality() {
        let standard = Redaction.standard
        var (field, query, member) = (standard, standard, standard)
        field.fieldNames.insert("x-plant")
        query.queryNames.insert("plant")
        member.memberNames.insert("plant")
        let value = standard.adding(values: ["hunter2"])
        let bound = standard.adding(boundFields: [plant], of: [:])
        for other in [field, query, member, value, bound] { #expect(other != standard && other == other) }
        #expect(standard == Redaction.standard)
    }
}
