// Polymap as a tool of GradBench: reads a message a line, answers each with a line.
//     gradbench [--multithreaded] [FOLDER]
// FOLDER holds the programs; without it they are those that stand beside this file.
#include "session.hpp"

#include <cstring>
#include <iostream>

int main(int count, char** arguments) {
    std::string programs = PROGRAMS;
    bool multithreaded = false;
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(arguments[i], "--multithreaded") == 0)
            multithreaded = true;
        else if (arguments[i][0] != '-')
            programs = arguments[i];
        else
            return std::cerr << "gradbench [--multithreaded] [FOLDER]\n", 2;
    }
    auto session = gradbench::Session::create(programs, multithreaded);
    if (!session) {
        std::cerr << session.problem().text;
        return 1;
    }
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) std::cout << session->answer(line) << std::endl;
    return 0;
}
