#include "types/signatures.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace kubecoro::cel::detail {

namespace {

/// A function, a blank, and its overloads with blanks between them. A point before the bracket: a member. `@` in an overload stands for
/// each of the types that have an order, `#` for those that have a sum. Those of authorisation are for messages: rules of definitions
/// have no variable of their types.
constexpr std::string_view table = R"(
!_ (bool):bool
-_ (double):double (int):int
_+_ (bytes,bytes):bytes (double,double):double (duration,duration):duration (duration,timestamp):timestamp (timestamp,duration):timestamp (int,int):int (list<A>,list<A>):list<A> (string,string):string (uint,uint):uint
_-_ (double,double):double (duration,duration):duration (int,int):int (timestamp,duration):timestamp (timestamp,timestamp):duration (uint,uint):uint
_*_ (double,double):double (int,int):int (uint,uint):uint
_/_ (double,double):double (int,int):int (uint,uint):uint
_%_ (int,int):int (uint,uint):uint
_==_ (A,A):bool
_!=_ (A,A):bool
_<_ <
_<=_ <
_>_ <
_>=_ <
@in (A,list<A>):bool (A,map<A,B>):bool
_[_] (list<A>,int):A (map<A,B>,A):B (optional<list<V>>,int):optional<V> (optional<map<K,V>>,K):optional<V>
_[?_] (list<V>,int):optional<V> (optional<list<V>>,int):optional<V> (map<K,V>,K):optional<V> (optional<map<K,V>>,K):optional<V>
size (bytes):int .(bytes):int (list<A>):int .(list<A>):int (map<A,B>):int .(map<A,B>):int (string):int .(string):int
type (A):type<A>
dyn (A):dyn
bool (bool):bool (string):bool
bytes (bytes):bytes (string):bytes
double (double):double (int):double (string):double (uint):double
duration (duration):duration (string):duration
int (int):int (double):int (duration):int (string):int (timestamp):int (uint):int
string (string):string (bool):string (bytes):string (double):string (duration):string (int):string (timestamp):string (uint):string (net.IP):string (net.CIDR):string
timestamp (timestamp):timestamp (int):timestamp (string):timestamp
uint (uint):uint (double):uint (int):uint (string):uint
contains .(string,string):bool
endsWith .(string,string):bool
startsWith .(string,string):bool
matches (string,string):bool .(string,string):bool
getFullYear .(timestamp):int .(timestamp,string):int
getMonth .(timestamp):int .(timestamp,string):int
getDayOfYear .(timestamp):int .(timestamp,string):int
getDayOfMonth .(timestamp):int .(timestamp,string):int
getDate .(timestamp):int .(timestamp,string):int
getDayOfWeek .(timestamp):int .(timestamp,string):int
getHours .(timestamp):int .(timestamp,string):int .(duration):int
getMinutes .(timestamp):int .(timestamp,string):int .(duration):int
getSeconds .(timestamp):int .(timestamp,string):int .(duration):int
getMilliseconds .(timestamp):int .(timestamp,string):int .(duration):int
charAt .(string,int):string
indexOf .(list<A>,A):int .(string,string):int .(string,string,int):int
lastIndexOf .(list<A>,A):int .(string,string):int .(string,string,int):int
lowerAscii .(string):string
upperAscii .(string):string
replace .(string,string,string):string .(string,string,string,int):string
split .(string,string):list<string> .(string,string,int):list<string>
substring .(string,int):string .(string,int,int):string
trim .(string):string
format .(string,list<dyn>):string
strings.quote (string):string
join .(list<string>):string .(list<string>,string):string
isSorted @.(list<@>):bool
sum #.(list<#>):#
min @.(list<@>):@
max @.(list<@>):@
includes .(dyn,dyn):bool
slice .(list<T>,int,int):list<T>
flatten .(list<list<T>>):list<T> .(list<dyn>,int):list<dyn>
sort @.(list<@>):list<@>
@sortByAssociatedKeys @.(list<T>,list<@>):list<T>
lists.range (int):list<int>
reverse .(list<T>):list<T>
distinct .(list<T>):list<T>
first .(list<V>):optional<V>
last .(list<V>):optional<V>
sets.contains (list<T>,list<T>):bool
sets.equivalent (list<T>,list<T>):bool
sets.intersects (list<T>,list<T>):bool
find .(string,string):string
findAll .(string,string):list<string> .(string,string,int):list<string>
url (string):kubernetes.URL
isURL (string):bool
getScheme .(kubernetes.URL):string
getHost .(kubernetes.URL):string
getHostname .(kubernetes.URL):string
getPort .(kubernetes.URL):string
getEscapedPath .(kubernetes.URL):string
getQuery .(kubernetes.URL):map<string,list<string>>
ip (string):net.IP .(net.CIDR):net.IP
isIP (string):bool
ip.isCanonical (string):bool
family .(net.IP):int
isUnspecified .(net.IP):bool
isLoopback .(net.IP):bool
isLinkLocalMulticast .(net.IP):bool
isLinkLocalUnicast .(net.IP):bool
isGlobalUnicast .(net.IP):bool
cidr (string):net.CIDR
isCIDR (string):bool
containsIP .(net.CIDR,string):bool .(net.CIDR,net.IP):bool
containsCIDR .(net.CIDR,string):bool .(net.CIDR,net.CIDR):bool
prefixLength .(net.CIDR):int
masked .(net.CIDR):net.CIDR
quantity (string):kubernetes.Quantity
isQuantity (string):bool
sign (kubernetes.Quantity):int
isInteger .(kubernetes.Quantity):bool
asInteger .(kubernetes.Quantity):int
asApproximateFloat .(kubernetes.Quantity):double
add .(kubernetes.Quantity,kubernetes.Quantity):kubernetes.Quantity .(kubernetes.Quantity,int):kubernetes.Quantity
sub .(kubernetes.Quantity,kubernetes.Quantity):kubernetes.Quantity .(kubernetes.Quantity,int):kubernetes.Quantity
isGreaterThan .(kubernetes.Quantity,kubernetes.Quantity):bool .(kubernetes.Semver,kubernetes.Semver):bool
isLessThan .(kubernetes.Quantity,kubernetes.Quantity):bool .(kubernetes.Semver,kubernetes.Semver):bool
compareTo .(kubernetes.Quantity,kubernetes.Quantity):int .(kubernetes.Semver,kubernetes.Semver):int
semver (string):kubernetes.Semver (string,bool):kubernetes.Semver
isSemver (string):bool (string,bool):bool
major .(kubernetes.Semver):int
minor .(kubernetes.Semver):int
patch .(kubernetes.Semver):int
format.named (string):optional<kubernetes.NamedFormat>
validate .(kubernetes.NamedFormat,string):optional<list<string>>
optional.of (V):optional<V>
optional.ofNonZeroValue (V):optional<V>
optional.none ():optional<V>
optional.unwrap (list<optional<V>>):list<V>
unwrapOpt .(list<optional<V>>):list<V>
value .(optional<V>):V
hasValue .(optional<V>):bool
or .(optional<V>,optional<V>):optional<V>
orValue .(optional<V>,V):V
path .(kubernetes.authorization.Authorizer,string):kubernetes.authorization.PathCheck
group .(kubernetes.authorization.Authorizer,string):kubernetes.authorization.GroupCheck
serviceAccount .(kubernetes.authorization.Authorizer,string,string):kubernetes.authorization.Authorizer
resource .(kubernetes.authorization.GroupCheck,string):kubernetes.authorization.ResourceCheck
subresource .(kubernetes.authorization.ResourceCheck,string):kubernetes.authorization.ResourceCheck
namespace .(kubernetes.authorization.ResourceCheck,string):kubernetes.authorization.ResourceCheck
name .(kubernetes.authorization.ResourceCheck,string):kubernetes.authorization.ResourceCheck
check .(kubernetes.authorization.PathCheck,string):kubernetes.authorization.Decision .(kubernetes.authorization.ResourceCheck,string):kubernetes.authorization.Decision
errored .(kubernetes.authorization.Decision):bool
error .(kubernetes.authorization.Decision):string
allowed .(kubernetes.authorization.Decision):bool
reason .(kubernetes.authorization.Decision):string
fieldSelector .(kubernetes.authorization.ResourceCheck,string):kubernetes.authorization.ResourceCheck
labelSelector .(kubernetes.authorization.ResourceCheck,string):kubernetes.authorization.ResourceCheck
)";

constexpr std::string_view ordered_types[] = {"int",      "uint",      "double", "bool",
                                              "duration", "timestamp", "string", "bytes"};
constexpr std::string_view summable_types[] = {"int", "uint", "double", "duration"};

constexpr std::string_view format_names[] = {"dns1123Label",
                                             "dns1123Subdomain",
                                             "dns1035Label",
                                             "qualifiedName",
                                             "dns1123LabelPrefix",
                                             "dns1123SubdomainPrefix",
                                             "dns1035LabelPrefix",
                                             "labelValue",
                                             "uri",
                                             "uuid",
                                             "byte",
                                             "date",
                                             "datetime"};

using overloads = std::vector<signature>;

signature parse_signature(std::string_view text)
{
    signature out;
    out.is_member = text[0] == '.';
    const auto close = text.rfind("):");
    const auto open = text.find('(');
    out.result = parse_type(text.substr(close + 2));
    // A list of types has the form of the parameters of one.
    const auto list = parse_type("map<" + std::string(text.substr(open + 1, close - open - 1)) + ">");
    out.parameters = list->parameters;
    return out;
}

void add_each(overloads& out, std::string_view text, char mark, std::span<const std::string_view> types)
{
    for (const auto each : types) {
        std::string one;
        for (const char c : text.substr(1))
            if (c == mark)
                one += each;
            else
                one += c;
        out.push_back(parse_signature(one));
    }
}

/// Two values of a type that has an order, or two numbers of any types. The first one that fits decides on open types, so the order is
/// that of cel-go.
overloads comparisons()
{
    static constexpr std::pair<std::string_view, std::string_view> operands[] = {
        {"bool", "bool"},           {"int", "int"},          {"int", "double"},    {"int", "uint"},
        {"uint", "uint"},           {"uint", "double"},      {"uint", "int"},      {"double", "double"},
        {"double", "int"},          {"double", "uint"},      {"string", "string"}, {"bytes", "bytes"},
        {"timestamp", "timestamp"}, {"duration", "duration"}};
    overloads out;
    for (const auto& [a, b] : operands)
        out.push_back(parse_signature("(" + std::string(a) + "," + std::string(b) + "):bool"));
    return out;
}

std::map<std::string, overloads, std::less<>> read_table()
{
    std::map<std::string, overloads, std::less<>> out;
    for (std::string_view rest = table.substr(1); !rest.empty();) {
        auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        auto& list = out[std::string(line.substr(0, line.find(' ')))];
        line.remove_prefix(line.find(' '));
        while (!line.empty()) {
            line.remove_prefix(1);
            const auto word = line.substr(0, line.find(' '));
            line.remove_prefix(word.size());
            if (word == "<")
                list = comparisons();
            else if (word[0] == '@')
                add_each(list, word, '@', ordered_types);
            else if (word[0] == '#')
                add_each(list, word, '#', summable_types);
            else
                list.push_back(parse_signature(word));
        }
    }
    for (const auto name : format_names)
        out["format." + std::string(name)] = {parse_signature("():kubernetes.NamedFormat")};
    return out;
}

} // namespace

std::span<const signature> signatures_of(std::string_view name)
{
    static const auto signatures = read_table();
    const auto found = signatures.find(name);
    return found != signatures.end() ? std::span<const signature>(found->second) : std::span<const signature>();
}

bool takes_operands(std::string_view name, std::size_t count, bool is_member)
{
    const auto all = signatures_of(name);
    return std::any_of(all.begin(), all.end(), [=](const signature& each) {
        return each.parameters.size() == count && each.is_member == is_member;
    });
}

} // namespace kubecoro::cel::detail
